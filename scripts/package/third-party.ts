import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findRuntime, RUNTIMES } from '../../bin/runtime.js';
import { isAccepted } from './licences.ts';
import { type NamedPackage, ROOT } from './lock.ts';

const OWN = 'Tocsin is under the MIT licence (LICENSE).';
const HEAD = `${OWN} It is installed with the packages below, which others have
written. What its pages contain of others is listed in dist/pages/licences.
`;
const CLIENT_HEAD = `${OWN} Its files contain code of the packages below, which others have
written.
`;

const RULE = '-'.repeat(80);

/** The text of THIRD-PARTY.txt: each installed package with its licence. One whose licence is unknown is refused. */
export async function thirdPartyText(packages: readonly NamedPackage[]): Promise<string> {
  const parts = await Promise.all(packages.filter(({ name }) => !isRuntime(name)).map(partOf));
  const runtimes = packages.filter(({ name }) => isRuntime(name));
  // Only that of this platform is installed. They are the same program.
  const runtime = findRuntime();
  if (runtime === null)
    throw new Error('The licence of Node cannot be read, because the runtime is not installed');
  const names = runtimes.map(({ name, version }) => `${name} ${version}`).join(', ');
  parts.push(`Node.js, one of: ${names}\n\n${await licenceIn('Node.js', dirname(dirname(runtime)))}`);
  return joined(HEAD, parts);
}

/** The text for the client, whose files contain these packages. */
export async function clientThirdPartyText(packages: readonly NamedPackage[]): Promise<string> {
  return joined(CLIENT_HEAD, await Promise.all(packages.map(partOf)));
}

function joined(head: string, parts: readonly string[]): string {
  return [head, ...parts].join(`\n${RULE}\n\n`);
}

async function partOf({ name, path, version, license }: NamedPackage): Promise<string> {
  if (!isAccepted(name, license))
    throw new Error(`${name} has the licence ${license}, which is not accepted`);
  return `${name} ${version} (${license})\n\n${await licenceIn(name, join(ROOT, path))}`;
}

export function isRuntime(name: string): boolean {
  return Object.values(RUNTIMES).some((file) => file.startsWith(`${name}/`));
}

async function licenceIn(name: string, folder: string): Promise<string> {
  const files = (await readdir(folder)).toSorted();
  const licences = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = await Promise.all(licences.map((file) => readFile(join(folder, file), 'utf8')));
  if (texts.length === 0 && files.includes('README.md')) {
    // Some packages tell it there alone, at the end.
    const [, section] =
      /^#+ *licen[cs]e *\n(.+)/ims.exec(await readFile(join(folder, 'README.md'), 'utf8')) ?? [];
    if (section !== undefined) texts.push(section);
  }
  if (texts.length === 0) throw new Error(`${name} has no text of its licence in ${folder}`);
  return `${texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n')}\n`;
}
