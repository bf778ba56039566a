/** Public status pages for their editors. */
import { AppError } from '../domain/errors.ts';
import {
  INCIDENT_STATES,
  MAX_STATUS_COMPONENTS,
  noticePhase,
  type StatusPage,
} from '../domain/public/status-page.ts';
import { type StatusView, stateOf, type ViewedNotice } from '../domain/public/status-view.ts';
import type { Field } from '../lib/fields.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import type { Actor } from '../services/core/actor.ts';
import { optional, uuidField } from '../wire/dashboard/input.ts';
import {
  componentsField,
  PAGE_FIELDS,
  titleField,
  UPDATE_FIELDS,
  within,
} from '../wire/dashboard/status-page-input.ts';
import { statusPageBody } from '../wire/status/page.ts';
import {
  affectedWords,
  COMPONENT_WORDS,
  HEADLINES,
  noticeWords,
  UPDATE_WORDS,
} from '../wire/status/words.ts';
import { projectView, type ViewDeps } from './view.ts';

const addressOf = (root: string, slug: string) => `${root}/status/${slug}/`;

export const statusPages = projectView({
  permission: 'status_pages.view',
  read: async ({ store, clock, site: { root } }, { actor }) => {
    const pages = await store.statusPages.ofProject(actor.projectId, clock.now());
    return pages.map(({ uuid, title, slug, isPublished, components, openNotices }) => ({
      ...{ uuid, title, slug, isPublished },
      /** Its public address, once it is published. */
      address: addressOf(root, slug),
      components: components.length,
      /** Incidents and maintenances that are not over. */
      openNotices,
    }));
  },
});

/** A status page for its editors, as it is now, published or not. */
export const statusPage = projectView({
  permission: 'status_pages.view',
  input: { page: uuidField },
  async *read(deps, { actor, input }) {
    const { store, clock, statusViews, site } = deps;
    const page = await ownPage(deps, actor, input.page);
    const checks = await store.checks.countOfProject(actor.projectId);
    const { view, covered } = yield* statusViews.of(page, clock.now());
    const names = new Map<string, string>();
    for (const { covers } of page.components) {
      if (!('check' in covers)) continue;
      const check = await store.checks.byUniqueKey(actor.projectId, covers.check);
      if (check !== null) names.set(covers.check, check.name);
    }
    const { uuid, title, slug, about, tz, isPublished, revision } = page;
    return {
      ...{ uuid, title, slug, about, tz, isPublished },
      address: addressOf(site.root, slug),
      /** To be sent back with an edit, which is refused if somebody else has changed the page. */
      revision,
      headline: HEADLINES[stateOf(view)],
      affected: affectedWords(view),
      components: page.components.map((component) => shownComponent(component, view, names)),
      notices: view.notices.map((notice) => shownNotice(notice, view)),
      incidentStates: INCIDENT_STATES.map((state) => ({ state, words: UPDATE_WORDS[state] })),
      /** Checks of the project, and checks that no component covers. */
      checks,
      uncovered: Math.max(0, checks - covered),
      maxComponents: MAX_STATUS_COMPONENTS,
    };
  },
});

async function ownPage({ store }: Pick<ViewDeps, 'store'>, actor: Actor, uuid: string): Promise<StatusPage> {
  const page = await store.statusPages.byUuid(actor.projectId, uuid);
  if (page === null) throw new AppError('status_page_not_found');
  return page;
}

function shownComponent(
  { id, name, group, covers }: StatusPage['components'][number],
  view: StatusView,
  names: ReadonlyMap<string, string>,
) {
  const { state = 'unknown', checks = 0 } = view.components.find((one) => one.id === id) ?? {};
  const check = 'check' in covers ? covers.check : null;
  return {
    ...{ id, name, group },
    /** Either a tag or the unique key of a check. */
    tag: 'tag' in covers ? covers.tag : null,
    check,
    /** The name of the check. Null for a tag, and if the check is gone. */
    checkName: check && (names.get(check) ?? null),
    ...{ checks, state, stateWords: COMPONENT_WORDS[state] },
  };
}

function shownNotice(notice: ViewedNotice, view: StatusView) {
  const { uuid, kind, title, updates } = notice;
  return {
    ...{ uuid, kind, title, phase: noticePhase(notice, view.now) },
    /** Its phase, in the words of the page. */
    words: noticeWords(notice, view),
    updates: updates.map(({ uuid: id, state, text, createdAt, author }) => ({
      ...{ uuid: id, state, stateWords: UPDATE_WORDS[state], text, author, at: toIsoSeconds(createdAt) },
    })),
  };
}

/** The UUID of a notice. Null for one that does not exist yet. */
const noticeField: Field<string | null> = {
  read: (value) => (typeof value === 'string' ? value : null),
  schema: {},
};

/** The page with the unsaved draft of somebody. */
export const statusPagePreview = projectView({
  permission: 'status_pages.view',
  input: {
    page: uuidField,
    draft: optional(within({ ...PAGE_FIELDS, components: componentsField })),
    update: optional(within({ notice: optional(noticeField), title: titleField, ...UPDATE_FIELDS })),
  },
  async *read(deps, { actor, input: { page: uuid, draft = null, update = null } }) {
    const page = await ownPage(deps, actor, uuid);
    const { view } = yield* deps.statusViews.of({ ...page, ...draft }, deps.clock.now());
    return { html: statusPageBody(update === null ? view : withUpdate(view, update), deps.site.name) };
  },
});

interface Written extends Pick<ViewedNotice['updates'][number], 'state' | 'text'> {
  readonly notice?: string | null;
  readonly title: string;
}

function withUpdate(view: StatusView, { notice = null, title, state, text }: Written): StatusView {
  const { now } = view;
  const update = { state, text, id: 0, uuid: '', noticeId: 0, createdAt: now, author: '', isDraft: true };
  const known = view.notices.find(({ uuid }) => uuid === notice);
  const opened: ViewedNotice = {
    ...{ id: 0, uuid: '', pageId: 0, kind: 'incident', title, componentIds: [], updates: [] },
    ...{ startsAt: now, endsAt: null, createdAt: now },
    ...known,
  };
  const others = view.notices.filter((one) => one !== known);
  return { ...view, notices: [{ ...opened, updates: [update, ...opened.updates] }, ...others] };
}
