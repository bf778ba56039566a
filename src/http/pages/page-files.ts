import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, posix, sep } from 'node:path';
import { escapeHtml } from '../../lib/html-escape.ts';

/** A built file as it is sent. */
export interface PageFile {
  readonly bytes: Uint8Array;
  /** The compressed forms, the shortest first. Empty if compression would gain nothing. */
  readonly encodings: readonly Encoding[];
  readonly contentType: string;
  /** Whether the name changes with the content, so that browsers may keep the file for ever. */
  readonly isHashed: boolean;
  readonly etag: string;
}

/** A compressed form. */
interface Encoding {
  /** Its name in `Accept-Encoding`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The pages of the dashboard as they were built: one document, and the files that it loads, by their path. */
export interface PageFiles {
  readonly document: Uint8Array;
  readonly files: ReadonlyMap<string, PageFile>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
];

const DOCUMENT = 'index.html';
/** The build puts files here whose names contain a hash of their content. */
const HASHED_FOLDER = 'assets/';

/**
 * Reads the pages into memory: they are small, and no request waits for the disk. `prefix` is the path of the site, `demoKey` a key of a
 * demonstration. Returns
 * null if nothing was built.
 */
export async function readPages(folder: string, prefix: string, demoKey?: string): Promise<PageFiles | null> {
  const names = await readdir(folder, { recursive: true }).catch(unlessMissing);
  if (names === null) return null;
  const paths = names.map((name) => name.replaceAll(sep, posix.sep));
  if (!paths.includes(DOCUMENT)) return null;
  const files = new Map<string, PageFile>();
  for (const path of paths) {
    const contentType = CONTENT_TYPES[extname(path)];
    if (contentType === undefined) continue;
    const bytes = await readFile(join(folder, path));
    const encodings: Encoding[] = [];
    for (const { name, extension } of ENCODINGS) {
      if (!paths.includes(path + extension)) continue;
      encodings.push({ name, bytes: await readFile(join(folder, path + extension)) });
    }
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(path, { bytes, encodings, contentType, isHashed: path.startsWith(HASHED_FOLDER), etag });
  }
  const document = await readFile(join(folder, DOCUMENT), 'utf8');
  return { document: Buffer.from(withDemoKey(placed(document, prefix), demoKey)), files };
}

/** The document is built for any path, and learns here which one it is. */
function placed(document: string, prefix: string): string {
  const root = escapeHtml(prefix);
  return document
    .replaceAll(/(src|href)="\.\//g, `$1="${root}/`)
    .replace('<meta name="tocsin-root" content=""', `<meta name="tocsin-root" content="${root}"`);
}

/** Pages of a demonstration say so, and tell the key with which programs can read it. */
function withDemoKey(document: string, key: string | undefined): string {
  if (key === undefined) return document;
  return document.replace(
    '<meta name="tocsin-root"',
    `<meta name="tocsin-demo" content="${escapeHtml(key)}" />$&`,
  );
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
