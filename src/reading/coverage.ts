import { readCoverage } from '../services/coverage.ts';
import type { Deps } from '../services/deps.ts';
import type { QuestionOf } from '../services/reads.ts';
import { coverageJson } from '../wire/dashboard/coverage-output.ts';
import type { Site } from '../wire/site.ts';

export async function coverageText(
  deps: Pick<Deps, 'store' | 'vault'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  { actor, search }: QuestionOf<'coverage'>,
  site: Site,
): Promise<string> {
  const covered = await readCoverage(deps, actor, search);
  const { badgeKey } = covered;
  const sign = (tag: string) =>
    badgeKey === null ? null : { tag, badgeKey, signature: deps.vault.badgeSignature(badgeKey, tag) };
  return JSON.stringify(coverageJson(covered, sign, site));
}
