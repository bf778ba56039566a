import { AppError } from '../../domain/errors.ts';
import type { AccountDeps } from '../../services/accounts/deps.ts';
import {
  correctUpdate,
  createStatusPage,
  deleteNotice,
  deleteStatusPage,
  editNotice,
  editStatusPage,
  listStatusPages,
  openNotice,
  postUpdate,
  publishStatusPage,
} from '../../services/status-pages.ts';
import {
  parseDraft,
  parseNewNotice,
  parseNewStatusPage,
  parseNotice,
  parseStatusPage,
  parseUpdate,
  parseUpdateText,
} from '../../wire/dashboard/status-page-input.ts';
import { listedStatusPageJson } from '../../wire/dashboard/status-page-output.ts';
import type { Site } from '../../wire/site.ts';
import { UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { MemberRequest, Route } from '../route.ts';
import { forMembers, projectRoute } from './dashboard-route.ts';

const PAGE = `/status-pages/:page(${UUID_PATTERN})`;
const NOTICE = `${PAGE}/notices/:notice(${UUID_PATTERN})`;
const UPDATE = `${NOTICE}/updates/:update(${UUID_PATTERN})`;

const DONE: Answer = { status: 204 };

/** Public status pages for those who write them. Threads read what they show. */
export function statusPageRoutes(deps: AccountDeps, site: Site): Route[] {
  const edits = (change: (request: MemberRequest, ref: Refs) => Promise<void>) =>
    forMembers('status_pages.edit', async (request) => {
      await change(request, refsOf(request));
      return DONE;
    });
  return [
    projectRoute('/status-pages', {
      GET: forMembers('status_pages.view', async ({ actor }) => {
        const pages = await listStatusPages(deps, actor);
        return { status: 200, json: { pages: pages.map((page) => listedStatusPageJson(page, site.root)) } };
      }),
      POST: forMembers('status_pages.edit', async ({ actor, body }) => {
        const { uuid } = await createStatusPage(deps, actor, parseNewStatusPage(body));
        return { status: 201, json: { uuid } };
      }),
    }),
    projectRoute(PAGE, {
      GET: forMembers('status_pages.view', async ({ actor, params }) => {
        const { pieces } = await deps.reads.ask({
          kind: 'status_page_editor',
          actor,
          page: params.page ?? '',
        });
        return { status: 200, pieces };
      }),
      POST: edits(({ actor, body }, ref) => editStatusPage(deps, actor, ref, parseStatusPage(body))),
      DELETE: edits(({ actor }, ref) => deleteStatusPage(deps, actor, ref)),
    }),
    projectRoute(`${PAGE}/publish`, {
      POST: edits(({ actor }, ref) => publishStatusPage(deps, actor, ref, true)),
    }),
    projectRoute(`${PAGE}/unpublish`, {
      POST: edits(({ actor }, ref) => publishStatusPage(deps, actor, ref, false)),
    }),
    projectRoute(`${PAGE}/preview`, {
      POST: forMembers('status_pages.view', async ({ actor, params, body }) => {
        const question = { actor, page: params.page ?? '', draft: parseDraft(body) };
        const { pieces } = await deps.reads.ask({ kind: 'status_page_preview', ...question });
        return { status: 200, pieces };
      }),
    }),
    projectRoute(`${PAGE}/notices`, {
      POST: forMembers('status_pages.edit', async (request) => {
        const uuid = await openNotice(deps, request.actor, refsOf(request), parseNewNotice(request.body));
        return { status: 201, json: { uuid } };
      }),
    }),
    projectRoute(NOTICE, {
      POST: edits(({ actor, body }, ref) => {
        const { startsAt, ...notice } = parseNotice(body);
        if (startsAt === null) throw new AppError('invalid_field', 'starts is missing', { field: 'starts' });
        return editNotice(deps, actor, ref, { ...notice, startsAt });
      }),
      DELETE: edits(({ actor }, ref) => deleteNotice(deps, actor, ref)),
    }),
    projectRoute(`${NOTICE}/updates`, {
      POST: edits(({ actor, body }, ref) => postUpdate(deps, actor, ref, parseUpdate(body))),
    }),
    projectRoute(UPDATE, {
      POST: edits(({ actor, body }, ref) => correctUpdate(deps, actor, ref, parseUpdateText(body))),
    }),
  ];
}

/** What the path names. */
interface Refs {
  readonly uuid: string;
  readonly notice: string;
  readonly update: string;
}

function refsOf({ params: { page = '', notice = '', update = '' } }: MemberRequest): Refs {
  return { uuid: page, notice, update };
}
