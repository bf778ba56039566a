import { readCheckPage } from '../services/check-page.ts';
import type { Deps } from '../services/deps.ts';
import type { QuestionOf } from '../services/reads.ts';
import { checkPageJson } from '../wire/dashboard/check-page-output.ts';
import type { Site } from '../wire/site.ts';
import type { ListDeps } from './lists.ts';
import { maskFor } from './masked-secrets.ts';

export async function checkPageText(
  deps: ListDeps & Pick<Deps, 'vault'>,
  { actor, checkId, tz }: QuestionOf<'check_page'>,
  site: Site,
): Promise<string> {
  const mask = await maskFor(deps, actor, checkId);
  const page = checkPageJson(await readCheckPage(deps, actor, checkId, tz), actor.caller, site);
  return mask(JSON.stringify(page));
}
