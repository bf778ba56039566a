/** Reads a command line and the variables beside it by a table of options. It never throws: faults are sentences. */
import { type Option, type Source, type Table, type Values, variableOf } from './options.ts';
import {
  readCodes,
  readCount,
  readDuration,
  readNames,
  readPercent,
  readSize,
  readSwitch,
} from './values.ts';

export type Job =
  | { readonly kind: 'program'; readonly words: readonly string[] }
  /** A text for the shell. */
  | { readonly kind: 'shell'; readonly text: string };

export interface Parsed<T extends Table> {
  readonly values: Values<T>;
  /** Where the value of an option comes from; options that nobody has set are missing. */
  readonly sources: ReadonlyMap<string, Source>;
  /** What is wrong, without any value: one may be a secret. */
  readonly faults: readonly string[];
  /** Words that are neither options nor their values. */
  readonly operands: readonly string[];
  /** Null where there is nothing to run; always null for commands that run no job. */
  readonly job: Job | null;
  readonly wantsHelp: boolean;
}

/** What a word on the command line has said so far. */
interface Given {
  readonly flags: Map<string, string[]>;
  readonly faults: string[];
  readonly operands: string[];
  job: Job | null;
  wantsHelp: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** With `runsJob` the first word that is no option begins the job, and so does `--`. */
export function parseArguments<T extends Table>(
  table: T,
  { argv, environment, runsJob }: { argv: readonly string[]; environment: Environment; runsJob: boolean },
): Parsed<T> {
  const given = readWords(table, argv, runsJob);
  const sources = new Map<string, Source>();
  const faults = [...given.faults];
  const values = Object.entries(table).map(([name, option]) => {
    const found = findTexts(name, option, given.flags, environment);
    if (found !== null) sources.set(name, found.source);
    const value = found === null ? defaultOf(option) : readValue(option, found.texts);
    if (value !== undefined) return [name, value];
    faults.push(`${found?.spelling ?? name} is not understood${hintOf(option)}`);
    return [name, defaultOf(option)];
  });
  return {
    // `readValue` and `defaultOf` return for each kind what `Values` says of it.
    values: Object.fromEntries(values) as Values<T>,
    sources,
    faults,
    operands: given.operands,
    job: given.job,
    wantsHelp: given.wantsHelp,
  };
}

function readWords(table: Table, argv: readonly string[], runsJob: boolean): Given {
  const given: Given = { flags: new Map(), faults: [], operands: [], job: null, wantsHelp: false };
  let hasUnknown = false;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? '';
    const rest = argv.slice(index + 1);
    if (word === '--') {
      takeRest(given, rest, runsJob);
      return given;
    }
    if (!word.startsWith('-') || word === '-') {
      // The value of an option that is not known may look like a job.
      if (hasUnknown || given.job !== null || !runsJob) given.operands.push(word);
      else {
        takeRest(given, argv.slice(index), runsJob);
        return given;
      }
    } else if (runsJob && word === '-c') {
      const [text] = rest;
      if (text === undefined) given.faults.push('-c has no text');
      else given.job = { kind: 'shell', text };
      index++;
    } else if (word === '--help' || word === '-h') given.wantsHelp = true;
    else {
      const taken = readOption(table, word, rest, given);
      hasUnknown ||= taken === null;
      index += taken ?? 0;
    }
  }
  return given;
}

function takeRest(given: Given, rest: readonly string[], runsJob: boolean): void {
  if (!runsJob) given.operands.push(...rest);
  else if (given.job !== null) given.faults.push('there is -c and a command');
  else if (rest.length > 0) given.job = { kind: 'program', words: rest };
}

/** How many of the following words belong to this option; null if there is no such option. */
function readOption(table: Table, word: string, rest: readonly string[], given: Given): number | null {
  const [spelling = '', ...values] = word.split('=');
  const name = Object.keys(table).find(
    (one) => spelling === `--${one}` || spelling === `-${table[one]?.short}`,
  );
  const option = name === undefined ? undefined : table[name];
  if (name === undefined || option === undefined) {
    given.faults.push(`there is no option ${spelling}`);
    return null;
  }
  const inline = values.length > 0 ? values.join('=') : null;
  const texts = given.flags.get(name) ?? [];
  given.flags.set(name, texts);
  if (inline !== null) texts.push(inline);
  else if (option.kind === 'flag') texts.push('yes');
  else if (option.kind === 'optional' && !isNamedBy(rest)) texts.push('');
  else if (rest[0] === undefined || rest[0] === '--') given.faults.push(`${spelling} has no value`);
  else {
    texts.push(rest[0]);
    return 1;
  }
  return 0;
}

/** Where a value may be left out, the next word is one only if the job begins visibly behind it. */
function isNamedBy([next, ...others]: readonly string[]): boolean {
  return next !== undefined && !next.startsWith('-') && others.some((word) => word === '--' || word === '-c');
}

function findTexts(
  name: string,
  option: Option,
  flags: ReadonlyMap<string, readonly string[]>,
  environment: Environment,
): { readonly texts: readonly string[]; readonly source: Source; readonly spelling: string } | null {
  const given = flags.get(name);
  if (given !== undefined && given.length > 0) return { texts: given, source: 'flag', spelling: `--${name}` };
  const own = variableOf(name);
  for (const variable of [own, ...(option.also ?? [])]) {
    const source = variable === own ? 'variable' : 'other variable';
    const text = environment[variable];
    if (text !== undefined && text !== '') {
      const isMany = option.kind === 'texts' || option.kind === 'counts';
      return { texts: isMany ? text.split('\n') : [text], source, spelling: variable };
    }
    const file = option.from === 'secret file' ? environment[`${variable}_FILE`] : undefined;
    if (file !== undefined && file !== '')
      return { texts: [`file:${file}`], source, spelling: `${variable}_FILE` };
  }
  return null;
}

/** Undefined where a text is not understood. */
function readValue(option: Option, texts: readonly string[]): unknown {
  const last = texts.at(-1) ?? '';
  switch (option.kind) {
    case 'flag':
      return readSwitch(last) ?? undefined;
    case 'text':
    case 'optional':
      return last;
    case 'texts':
      return texts;
    case 'names':
      return texts.flatMap(readNames);
    case 'choice':
      return option.choices.find((choice) => choice === last);
    case 'duration':
      return readDuration(last) ?? undefined;
    case 'size':
      return readSize(last) ?? undefined;
    case 'percent':
      return readPercent(last) ?? undefined;
    case 'count':
      return readCount(last) ?? undefined;
    case 'counts': {
      const counts = texts.map(readCount);
      return counts.includes(null) ? undefined : counts;
    }
    case 'codes':
      return readCodes(last) ?? undefined;
  }
}

function defaultOf(option: Option): unknown {
  switch (option.kind) {
    case 'flag':
      return false;
    case 'text':
    case 'optional':
    case 'size':
    case 'percent':
      return null;
    case 'texts':
    case 'names':
    case 'counts':
      return [];
    case 'choice':
      return option.choices[0];
    case 'duration':
      return option.ms;
    case 'count':
      return option.count;
    case 'codes':
      return option.codes;
  }
}

function hintOf(option: Option): string {
  switch (option.kind) {
    case 'choice':
      return `: it is one of ${option.choices.join(', ')}`;
    case 'duration':
      return ': write it as 90, 90s, 15m or 2h';
    case 'size':
      return ': write it as 4000, 4k, 1M or 1G';
    case 'percent':
      return ': write it as 50%';
    case 'codes':
      return ': write it as 0,24';
    case 'flag':
      return ': it is yes or no';
    default:
      return ': it is a number';
  }
}
