import { createHash } from 'node:crypto';
import type { DebianPackage } from '../image/debian-lock.ts';
import { type Lock, type NamedPackage, productionOf } from '../package/lock.ts';

/** https://cyclonedx.org/docs/1.5/json/ */
interface Component {
  readonly 'bom-ref': string;
  readonly type: 'application' | 'library' | 'operating-system';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
}

export interface BillSource {
  readonly lock: Lock;
  readonly debian: readonly DebianPackage[];
  /** Of the commit. */
  readonly hash: string;
  readonly seconds: number;
}

/**
 * All that a package or an image of Tocsin holds of others. `npm sbom` leaves packages out that development needs as well, and
 * takes the name of the folder for the program's.
 */
export function billOfMaterials({ lock, debian, hash, seconds }: BillSource): object {
  const packages = productionOf(lock);
  const root = {
    ...component({ name: lock.name, path: '', ...lock.packages[''], version: lock.version }),
    type: 'application',
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(`${hash} ${lock.version}`)}`,
    version: 1,
    metadata: { timestamp: new Date(seconds * 1000).toISOString(), component: root },
    components: [...unique(packages.map(component)), ...debian.map(debianComponent)],
    dependencies: [
      { ref: root['bom-ref'], dependsOn: dependenciesOf(lock, '') },
      ...unique(packages.map((one) => ({ 'bom-ref': referenceOf(one), path: one.path }))).map((one) => ({
        ref: one['bom-ref'],
        dependsOn: dependenciesOf(lock, one.path),
      })),
    ],
  };
}

function component(one: NamedPackage): Component {
  const { name, version = '', integrity, license } = one;
  const [algorithm = '', digest = ''] = integrity?.split('-') ?? [];
  return {
    'bom-ref': referenceOf(one),
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(integrity !== undefined && {
      hashes: [
        {
          alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
          content: Buffer.from(digest, 'base64').toString('hex'),
        },
      ],
    }),
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  };
}

function debianComponent({ architecture, name, version, sha256 }: DebianPackage): Component {
  const purl = `pkg:deb/debian/${name.replaceAll('+', '%2B')}@${version.replaceAll('+', '%2B')}?arch=${architecture}`;
  return {
    'bom-ref': purl,
    type: 'operating-system',
    name,
    version,
    purl,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  };
}

function referenceOf({ name, version = '' }: { name: string; version?: string | undefined }): string {
  return `${name}@${version}`;
}

/** A package may be installed in several folders. */
function unique<T extends { readonly 'bom-ref': string }>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [one['bom-ref'], one])).values()];
}

/** As Node finds them: in the nearest folder above. */
function dependenciesOf({ packages }: Lock, path: string): string[] {
  const { dependencies, optionalDependencies } = packages[path] ?? {};
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
      if (found !== undefined) return [referenceOf({ name, version: found.version })];
      if (folder === '') return [];
    }
  });
}

/** https://www.rfc-editor.org/rfc/rfc9562#section-5.8 */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-');
}
