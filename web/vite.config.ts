import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, normalizePath, type Plugin, type Rolldown } from 'vite';

/** Files that shrink when compressed. Fonts and pictures are compressed already. */
const COMPRESSED = /\.(js|css|svg|json)$/;

const BEST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/**
 * Writes each file compressed as well, so that the service does not compress anything itself. Browsers take Brotli by https only,
 * and gzip always.
 */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    // Only written files are final: other plugins change them until then.
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!COMPRESSED.test(name)) continue;
        const path = join(dir, name);
        const bytes = await readFile(path);
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, BEST_BROTLI));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

const FONTS = ['inter', 'jetbrains-mono'];

/** The licences of the fonts ask to be passed on with them. */
function fontLicences(): Plugin {
  return {
    name: 'font licences',
    apply: 'build',
    async generateBundle() {
      for (const font of FONTS) {
        const path = new URL(`../node_modules/@fontsource-variable/${font}/LICENSE`, import.meta.url);
        this.emitFile({ type: 'asset', fileName: `licences/${font}.txt`, source: await readFile(path) });
      }
    },
  };
}

/** Code that this many pages share is in one of two files: what the list of checks needs, and the rest. */
const SHARED_BY = 5;

/** Names the file for code that many pages share. */
function sharedFile(): Rolldown.CodeSplittingNameFunction {
  let needed: ReadonlySet<string> | undefined;
  return (id, context) => {
    needed ??= neededFirst((module) => context.getModuleInfo(module));
    return needed.has(id) ? 'shared' : 'shared-later';
  };
}

/** Where the first load begins: what surrounds each page, and the list of checks. */
const FIRST = ['app/main.tsx', 'pages/checks/checks.tsx'];

/** The names of modules have slashes on Windows, too. */
const fileOf = (path: string) => normalizePath(join(import.meta.dirname, path));

/** Every page imports the list of all texts, and names the areas that it needs, as in `m.checks`. */
const ALL_TEXTS = fileOf('messages/en.ts');

type ModuleOf = Parameters<Rolldown.CodeSplittingNameFunction>[1]['getModuleInfo'];

/** What the first load needs. A file of texts is needed where one of its areas is named. */
function neededFirst(moduleOf: ModuleOf): ReadonlySet<string> {
  const needed = new Set<string>();
  const texts = moduleOf(ALL_TEXTS)?.importedIds ?? [];
  const textsWith = new Map(texts.flatMap((id) => moduleOf(id)?.exports.map((area) => [area, id]) ?? []));
  const add = (id: string | undefined) => {
    if (id === undefined || needed.has(id)) return;
    needed.add(id);
    if (id === ALL_TEXTS) return;
    const { importedIds = [], code } = moduleOf(id) ?? {};
    for (const imported of importedIds) add(imported);
    for (const [, area = ''] of code?.matchAll(/\bm\.(\w+)/g) ?? []) add(textsWith.get(area));
  };
  for (const path of FIRST) add(fileOf(path));
  return needed;
}

export default defineConfig({
  root: import.meta.dirname,
  // Relative, because the path of the site is known only when the service starts.
  base: './',
  plugins: [react(), tailwind(), compressed(), fontLicences()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // A strict content security policy allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Otherwise a page loads forty small files, which takes long where each answer does.
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: /web\/messages\//, sideEffects: false }] },
      output: {
        codeSplitting: {
          groups: [{ name: sharedFile(), minShareCount: SHARED_BY }],
          // With its dependencies, the list of all texts brings the texts of every page.
          includeDependenciesRecursively: false,
        },
      },
    },
    reportCompressedSize: false,
    license: { fileName: 'licences/packages.md' },
  },
});
