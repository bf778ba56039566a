/** The usual way to ping from a shell. */
export const CURL = 'curl -fsS -m 10 --retry 5 -o /dev/null';

/** The pings of a job: its success alone, its exit status, or its start and exit status. */
export const PINGED = ['success', 'status', 'start'] as const;
export type Pinged = (typeof PINGED)[number];

/** The command of a crontab's line, with pings to that address. */
export function withPing(command: string, url: string, pinged: Pinged): string {
  const { shell, input } = splitInput(command);
  const { job, tail } = splitTail(shell);
  // The shell would end before the ping.
  const whole = ENDS_SHELL.test(job) ? `(${job})` : job;
  const ended = pinged === 'success' ? `${whole} && ${CURL} ${url}` : `${whole}; ${CURL} ${url}/$?`;
  const told = pinged === 'start' ? `${CURL} ${url}/start; ${ended}` : ended;
  return `${tail.includes('&') ? `(${told})` : told}${tail}${shell.slice(job.length + tail.length)}${input}`;
}

const ENDS_SHELL = /(?:^|[;&|({])\s*(?:exec|exit)(?:[\s;]|$)/;

/** Cron gives the text after the first plain % to the command as its input. */
function splitInput(command: string): { readonly shell: string; readonly input: string } {
  const at = /(?<!\\)%/.exec(command)?.index ?? command.length;
  return { shell: command.slice(0, at), input: command.slice(at) };
}

/** The end of a command that has to stay behind the ping: spaces, a last `;` or `&`. A comment follows them. */
function splitTail(shell: string): { readonly job: string; readonly tail: string } {
  const code = shell.slice(0, commentIn(shell));
  const tail = /\s*(?:(?<!\\);|(?<![&\\])&)?\s*$/.exec(code)?.[0] ?? '';
  return { job: code.slice(0, code.length - tail.length), tail };
}

/** The place at which a comment begins, outside of quotes. */
function commentIn(shell: string): number {
  let quote = '';
  for (let at = 0; at < shell.length; at += 1) {
    const sign = shell[at] ?? '';
    if (sign === '\\' && quote !== "'") at += 1;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '#' && /^$|[\s;&|(]/.test(shell[at - 1] ?? '')) return at;
  }
  return shell.length;
}

const PREPARATIONS = ['cd', 'test', '[', '[[', 'sleep', 'export', '.', 'source', 'umask', 'ulimit', 'set'];
const WRAPPERS = ['sudo', 'nice', 'ionice', 'nohup', 'chronic', 'env', 'time', 'timeout', 'flock', 'exec'];
const INTERPRETER =
  /^(?:(?:ba|da|z|k|fi)?sh|php[\d.]*|python[\d.]*|perl|ruby|node|npx|npm|java|Rscript|run-parts)$/;
/** Options and their numbers, such as `-n 19` or `300s`. */
const OPTION = /^(?:-.*|\d+[smhd]?)$/;
const SCRIPT = /(?<=.)\.(?:sh|bash|py|php|pl|rb|js|mjs|ts|jar)$/;
const MAX_NAME = 100;

/** A name for the job: the program or script that it runs, without the ending of its language. */
export function jobName(command: string): string {
  const { shell } = splitInput(command);
  const parts = shell.slice(0, commentIn(shell)).split(/&&|\|\||[;|&]/);
  const programs = parts.map(programOf).filter((name) => name !== '' && !PREPARATIONS.includes(name));
  return (programs[0]?.replace(SCRIPT, '') ?? shell.trim()).slice(0, MAX_NAME);
}

function programOf(part: string): string {
  const words = part
    .replaceAll(/["'(){}]/g, ' ')
    .trim()
    .split(/\s+/);
  let [word = '', ...rest] = words;
  while (/^\w+=/.test(word) || WRAPPERS.includes(baseName(word))) {
    const wrapper = baseName(word);
    if (!/^\w+=/.test(word)) rest = argumentsOf(wrapper, rest);
    [word = '', ...rest] = rest;
  }
  if (!INTERPRETER.test(baseName(word))) return baseName(word);
  return baseName(rest.find((one) => !OPTION.test(one)) ?? word);
}

/** The command that a wrapper runs. `flock` has a file before it, and `-u` of `sudo` a user. */
function argumentsOf(wrapper: string, words: readonly string[]): string[] {
  const left = [...words];
  while (OPTION.test(left[0] ?? '')) if (/^-[ug]$/.test(left.shift() ?? '')) left.shift();
  return wrapper === 'flock' ? left.slice(1) : left;
}

function baseName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? '';
}

/** Names that differ from each other: the second `backup` is `backup 2`. */
export function numbered(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}
