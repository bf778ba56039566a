/** What keeps a release from being made. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAccepted } from '../package/licences.ts';
import { type Lock, productionOf } from '../package/lock.ts';
import { isRuntime } from '../package/third-party.ts';

/** Keys that sign releases, for git: a line for each, with a name and an SSH key. */
export const SIGNERS = 'release/signers';

/** What the section of a release in the changelog tells, each part under its heading. */
const CHANGELOG_PARTS = ['What you get', 'What you must do', 'What changed its default'];

/** Sentences on the packages of others. None if all may be shipped. */
export function packageFaults(lock: Lock): string[] {
  return productionOf(lock).flatMap(({ name, license, hasInstallScript }) => [
    ...(isAccepted(name, license) || isRuntime(name) ? [] : [licenceFault(name, license)]),
    ...(hasInstallScript === true ? [`${name} runs a script when it is installed`] : []),
  ]);
}

function licenceFault(name: string, license: string | undefined): string {
  return license === undefined
    ? `${name} names no licence`
    : `${name} has the licence ${license}, which is not accepted`;
}

/** Sentences on the section of the version in the changelog. */
export function changelogFaults(changelog: string, version: string): string[] {
  const sections = changelog.split(/^## /m);
  const section = sections.find((one) => one.split('\n', 1)[0]?.split(/[, ]/, 1)[0] === version);
  if (section === undefined) return [`CHANGELOG.md has no section ${version}`];
  if (/^\S+, unreleased/.test(section)) return [`CHANGELOG.md says that ${version} is unreleased`];
  return CHANGELOG_PARTS.filter((part) => !section.includes(`\n### ${part}\n`)).map(
    (part) => `CHANGELOG.md has no part "${part}" in the section ${version}`,
  );
}

/** Sentences on the checkout: a release is made of a signed tag, and of nothing else. */
export function checkoutFaults(checkout: string, version: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: 'pipe' }).trim();
  const tag = `v${version}`;
  const changed = git('status', '--porcelain');
  if (changed !== '') return [`the checkout has changes that are not committed:\n${changed}`];
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(tag))
    return [`the tag ${tag} is not at this commit`];
  const signers = readFileSync(join(checkout, SIGNERS), 'utf8');
  if (!/^[^#\s]/m.test(signers)) return [`${SIGNERS} lists nobody`];
  try {
    git('-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${SIGNERS}`, 'verify-tag', tag);
    return [];
  } catch (error) {
    const reason = String(Object(error).stderr ?? error).trim();
    return [`the tag ${tag} is not signed by somebody in ${SIGNERS}: ${reason}`];
  }
}
