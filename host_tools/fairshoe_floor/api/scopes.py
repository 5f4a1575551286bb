"""What a token may do, by the words of its file: of the command line, the API and docs/FLOOR.md. Imports nothing:
--help of the command line loads it."""

SCOPES = {
    "metrics": "`/metrics`: every shoe as far as its own profile goes",
    "meters": "every shoe as the profile `meters` has it",
    "table": "every shoe as far as its own profile goes",
    "acknowledge": "nothing: it may acknowledge alarms at `floor serve`, under the name of the token",
}
