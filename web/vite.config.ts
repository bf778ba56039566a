import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** What shrinks when it is compressed. Fonts and pictures are compressed already. */
const COMPRESSED = /\.(js|css|svg|json)$/;

/** Writes each file a second time, compressed, so that the service does not compress anything itself. */
function brotli(): Plugin {
  return {
    name: 'brotli',
    apply: 'build',
    // Only what was written is final: other plugins change files until then.
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!COMPRESSED.test(name)) continue;
        const compressed = await promisify(brotliCompress)(await readFile(join(dir, name)), {
          params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
        });
        await writeFile(join(dir, `${name}.br`), compressed);
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

export default defineConfig({
  root: import.meta.dirname,
  // Relative, because the path of the site is known only when the service starts.
  base: './',
  plugins: [react(), tailwind(), brotli(), fontLicences()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // A strict content security policy allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licences/packages.md' },
  },
});
