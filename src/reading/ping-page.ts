import { AppError } from '../domain/errors.ts';
import { isAllowed } from '../domain/people/permission.ts';
import { readPingPage } from '../services/ping-page.ts';
import type { QuestionOf } from '../services/reads.ts';
import { mailDocument, pingPageJson } from '../wire/dashboard/ping-output.ts';
import type { ListDeps } from './lists.ts';
import { maskFor } from './masked-secrets.ts';

export async function pingPageText(
  deps: ListDeps,
  { actor, checkId, n, moved, bodyLimit, isWhole }: QuestionOf<'ping_page'>,
): Promise<string> {
  const page = await readPingPage(deps, actor, checkId, n, moved);
  const mask = await maskFor(deps, actor, checkId);
  const seesAddresses = isAllowed(actor.caller, 'checks.view_addresses');
  return mask(JSON.stringify(pingPageJson(page, { bodyLimit, isWhole, seesAddresses })));
}

export async function pingHtmlText(
  deps: ListDeps,
  { actor, checkId, n, moved }: QuestionOf<'ping_html'>,
): Promise<string> {
  const html = mailDocument(await readPingPage(deps, actor, checkId, n, moved));
  if (html === null) throw new AppError('no_ping_body');
  const mask = await maskFor(deps, actor, checkId);
  return mask(html);
}
