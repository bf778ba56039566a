import { AppError } from '../domain/errors.ts';
import type { QuestionOf } from '../services/core/reads.ts';
import { readPingPage } from '../services/history/ping-page.ts';
import { maskFor } from '../views/masked-text.ts';
import { mailDocument } from '../views/ping-body.ts';
import type { ListDeps } from './lists.ts';

export async function pingHtmlText(
  deps: ListDeps,
  { actor, checkId, n, moved }: QuestionOf<'ping_html'>,
): Promise<string> {
  const html = mailDocument(await readPingPage(deps, actor, checkId, n, moved));
  if (html === null) throw new AppError('no_ping_body');
  const mask = await maskFor(deps, actor, checkId);
  return mask(html);
}
