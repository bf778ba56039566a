import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { NamedPackage } from '../scripts/package/lock.ts';

export interface Registry extends AsyncDisposable {
  readonly url: string;
}

/** A package that was packed here. */
export interface OwnPackage {
  readonly file: string;
  readonly manifest: { readonly name: string; readonly version: string };
}

/**
 * A registry of a package and of the locked ones that it needs, whose files are those that `npm ci` has put into the cache of
 * npm. Of each locked package it also offers the next patch, as the latest version, which it does not have.
 */
export async function startRegistry(
  own: OwnPackage,
  packages: readonly NamedPackage[],
  npmCache: string,
): Promise<Registry> {
  const server = createServer((request, reply) => {
    const [name = '', version] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('/-/');
    const locked = packages.filter((entry) => entry.name === name);
    if (version === undefined) {
      reply.setHeader('Content-Type', 'application/json').end(JSON.stringify(documentOf(name, locked)));
      return;
    }
    const { integrity = '' } = locked.find((entry) => entry.version === version) ?? {};
    readFile(name === own.manifest.name ? own.file : contentPath(npmCache, integrity)).then(
      (file) => reply.end(file),
      () => reply.writeHead(404).end(`${name} ${version} is not in the cache of npm: run \`npm ci\``),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function documentOf(name: string, locked: readonly NamedPackage[]): unknown {
    const tarball = (version = '') => `${url}${name}/-/${version}`;
    const { manifest } = own;
    const versions =
      name === manifest.name
        ? // npm looks for a shrinkwrap where the registry says that there is one.
          [{ ...manifest, _hasShrinkwrap: true, dist: { tarball: tarball(manifest.version) } }]
        : locked.flatMap((entry) => {
            const newer = (entry.version ?? '').replace(/\d+$/, (patch) => String(Number(patch) + 1));
            return [
              { ...entry, dist: { tarball: tarball(entry.version), integrity: entry.integrity } },
              { ...entry, version: newer, dist: { tarball: tarball(newer) } },
            ];
          });
    return {
      name,
      'dist-tags': { latest: versions.at(-1)?.version },
      versions: Object.fromEntries(versions.map((entry) => [entry.version, entry])),
    };
  }
}

/** https://github.com/npm/cacache: content is found by its hash. */
function contentPath(npmCache: string, integrity: string): string {
  const [algorithm = '', digest = ''] = integrity.split('-');
  const hex = Buffer.from(digest, 'base64').toString('hex');
  return join(npmCache, '_cacache/content-v2', algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
}
