"""Builds the documentation site from docs/ with MkDocs.

    make docs          build into build/site; every warning is an error
    make docs-serve    show it on a local port and build again when a page changes

nav.py is the navigation as data; pages.py reads links and anchors of Markdown pages; hooks.py is what MkDocs calls;
site.py runs MkDocs. tables.py renews the tables of docs/CLI.md and docs/BENCH.md, procedure_page.py those of
docs/PROCEDURE.md: `make generate`.
"""
