@rem npm scripts begin with `exec`, which replaces the shell of npm; Windows has no such command.
@%*
