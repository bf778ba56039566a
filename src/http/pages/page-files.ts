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
const MANIFEST = 'manifest.webmanifest';
/** The build puts files here whose names contain a hash of their content. */
const HASHED_FOLDER = 'assets/';

/** What the pages learn of the site. */
interface PageSite {
  /** Its path, without a slash at the end. */
  readonly path: string;
  readonly name: string;
}

/**
 * Reads the pages into memory: they are small, and no request waits for the disk. `demoKey` is a key of a demonstration.
 * Returns null if nothing was built.
 */
export async function readPages(folder: string, site: PageSite, demoKey?: string): Promise<PageFiles | null> {
  const names = await readdir(folder, { recursive: true }).catch(unlessMissing);
  if (names === null) return null;
  const paths = names.map((name) => name.replaceAll(sep, posix.sep));
  if (!paths.includes(DOCUMENT)) return null;
  const files = new Map<string, PageFile>();
  for (const path of paths) {
    const contentType = CONTENT_TYPES[extname(path)];
    if (contentType === undefined) continue;
    const built = await readFile(join(folder, path));
    const bytes = path === MANIFEST ? manifestOf(built, site) : built;
    const encodings: Encoding[] = [];
    for (const { name, extension } of ENCODINGS) {
      if (bytes !== built || !paths.includes(path + extension)) continue;
      encodings.push({ name, bytes: await readFile(join(folder, path + extension)) });
    }
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(path, { bytes, encodings, contentType, isHashed: path.startsWith(HASHED_FOLDER), etag });
  }
  const document = await readFile(join(folder, DOCUMENT), 'utf8');
  return { document: Buffer.from(withDemoKey(placed(document, site), demoKey)), files };
}

/** The installed app has the name of the site, and is the pages below its path. */
function manifestOf(built: Uint8Array, { path, name }: PageSite): Uint8Array {
  const root = `${path}/`;
  const manifest: object = JSON.parse(Buffer.from(built).toString());
  const own = { name, short_name: name, id: root, start_url: root, scope: root };
  return Buffer.from(JSON.stringify({ ...manifest, ...own }));
}

/** The document is built for any path, and learns here which one it is. */
function placed(document: string, { path, name }: PageSite): string {
  const root = escapeHtml(path);
  return document
    .replaceAll(/(src|href)="\.\//g, `$1="${root}/`)
    .replace('<meta name="tocsin-root" content=""', () => `<meta name="tocsin-root" content="${root}"`)
    .replace(/(<meta name="apple-mobile-web-app-title" content=")[^"]*/, (_, tag) => tag + escapeHtml(name));
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
