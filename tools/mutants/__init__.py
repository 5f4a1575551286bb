"""Changes one thing of the repository at a time and runs the tests that should notice: does each of them fail?

    make mutants [MODULE= MINUTES= SEED= SHARD= ONLY=]
    make mutants RULES=1 [SEED= MINUTES= ONLY=]
    make mutants HOST=1 [MODULE= SEED= MINUTES= ONLY=]

Code of the firmware: code.py finds the mutants, measure.py says which tests run which lines, forked.py runs them,
code_run.py chooses mutants and counts, results.py keeps verdicts, sources.py says how long they are valid.
docs/TESTING.md says how to read the result.

Rules: rules.py makes the mutants of game profiles and of the table of house policy. copied_tree.py runs tests against a
mutant in a copy of the repository; worker.py is the process that does it. host_code.py does the same with the code of
host library, floor and table. Another kind of mutant is another module that
yields Mutant, and an option of __main__.py.
"""
