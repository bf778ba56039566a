import { AppError } from '../domain/errors.ts';
import type { Actor } from '../domain/people/permission.ts';
import type { MovedBody } from '../domain/ping/ping-body.ts';
import type { Deps } from '../services/core/deps.ts';
import { ofProject, textRead } from '../services/core/reads.ts';
import { readPingPage } from '../services/history/ping-page.ts';
import { maskFor } from '../views/masked-text.ts';
import { mailDocument } from '../views/ping-body.ts';

interface AskedPing {
  readonly actor: Actor;
  readonly checkId: number;
  readonly n: number;
  /** The body if it is in object storage, which reader threads cannot reach. */
  readonly moved: MovedBody;
}

/** The HTML of a mail that pinged. */
export const pingHtml = textRead(
  ofProject,
  async (deps: Pick<Deps, 'store' | 'clock' | 'defaultLimits'>, { actor, checkId, n, moved }: AskedPing) => {
    const html = mailDocument(await readPingPage(deps, actor, checkId, n, moved));
    if (html === null) throw new AppError('no_ping_body');
    const mask = await maskFor(deps, actor, checkId);
    return mask(html);
  },
);
