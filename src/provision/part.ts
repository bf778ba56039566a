import type { FileFault, Located } from './document.ts';

/**
 * The part of a file that is read. Servers take the checks of a project by their API and nothing else: the rest is
 * either refused (`checks`) or left out (`checks-only`), with the secrets in it.
 */
export type FilePart = 'all' | 'checks' | 'checks-only';

/** A mapping of the file: the keys that are read, and the lists of mappings in it. */
interface Level {
  isRead(key: string): boolean;
  readonly lists: Readonly<Record<string, Level>>;
}

/** The checks, and the way to them. */
const CHECKS: Level = {
  isRead: (key) => ['source', 'projects'].includes(key),
  lists: {
    projects: {
      isRead: (key) => ['uuid', 'name', 'owner', 'checks'].includes(key),
      lists: { checks: { isRead: (key) => key !== 'aliases', lists: {} } },
    },
  },
};

export function partOf(file: Located, part: FilePart, faults: FileFault[]): Located {
  if (part === 'all') return file;
  const left: FileFault[] = [];
  const read = readPart(file, '', CHECKS, left);
  if (part === 'checks') faults.push(...left);
  return read;
}

function readPart(value: Located, path: string, level: Level, left: FileFault[]): Located {
  if (value.kind === 'plain') return value;
  if (value.kind === 'list')
    return { ...value, items: value.items.map((one, n) => readPart(one, `${path}[${n}]`, level, left)) };
  const pairs = [...value.pairs].flatMap(([key, pair]) => {
    const place = path === '' ? key : `${path}.${key}`;
    const below = level.lists[key];
    if (level.isRead(key))
      return [
        [key, below === undefined ? pair : { ...pair, value: readPart(pair.value, place, below, left) }],
      ] as const;
    left.push({
      line: pair.line,
      reason: `${place}: the API takes checks alone (--checks-only leaves everything else out)`,
    });
    return [];
  });
  return { ...value, pairs: new Map(pairs) };
}
