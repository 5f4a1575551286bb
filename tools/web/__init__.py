"""Plays the bench page in the system's Chromium, driven by Playwright.

    make test-web    needs Chromium; as root on Debian it is installed first

tests/web holds the tests. browser.py starts the page's server and a browser for them, and for the captures and figures.
"""
