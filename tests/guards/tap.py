"""Prints test results as TAP, so that meson counts every check by itself."""


class Report:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, name, passed, why=""):
        """One check; `why` is shown when it failed."""
        self.count += 1
        self.failed += not passed
        # '#' would start a TAP directive.
        print(f"{'ok' if passed else 'not ok'} {self.count} - {name.replace('#', 'no. ')}")
        if not passed:
            for line in (why or "failed").rstrip().splitlines():
                print(f"# {line}")

    def finish(self):
        """The exit status for the program."""
        print(f"1..{self.count}", flush=True)
        return 1 if self.failed else 0
