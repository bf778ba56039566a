import {
  type ComponentState,
  INCIDENT_STATES,
  type IncidentState,
  MAX_STATUS_COMPONENTS,
  type NoticeKind,
  noticePhase,
  type StatusPage,
  type UpdateState,
} from '../../domain/public/status-page.ts';
import { type StatusView, stateOf, type ViewedNotice } from '../../domain/public/status-view.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import { affectedWords, COMPONENT_WORDS, HEADLINES, noticeWords, UPDATE_WORDS } from '../status/words.ts';

export interface ListedStatusPageJson {
  readonly uuid: string;
  readonly title: string;
  readonly slug: string;
  /** Where outsiders find it, once it is published. */
  readonly address: string;
  readonly is_published: boolean;
  readonly components: number;
  /** Incidents and maintenances that are not over. */
  readonly open_notices: number;
}

export interface StatusComponentJson {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  /** Either a tag or the unique key of a check. */
  readonly tag: string | null;
  readonly check: string | null;
  /** The name of the check. Null for a tag, and if the check is gone. */
  readonly check_name: string | null;
  readonly checks: number;
  readonly state: ComponentState;
  readonly state_words: string;
}

export interface StatusUpdateJson {
  readonly uuid: string;
  readonly state: UpdateState;
  readonly state_words: string;
  readonly text: string;
  readonly at: string;
  readonly author: string;
}

export interface StatusNoticeJson {
  readonly uuid: string;
  readonly kind: NoticeKind;
  readonly title: string;
  /** Ids of components. */
  readonly components: readonly string[];
  readonly starts: string;
  readonly ends: string | null;
  readonly phase: 'planned' | 'open' | 'over';
  /** Where it stands, as the page says it. */
  readonly words: string;
  readonly updates: readonly StatusUpdateJson[];
}

/** A status page for those who edit it. */
export interface StatusPageJson {
  readonly uuid: string;
  readonly title: string;
  readonly slug: string;
  readonly about: string;
  readonly tz: string;
  readonly address: string;
  readonly is_published: boolean;
  /** To be sent back with an edit, which is refused if somebody else has changed the page. */
  readonly revision: number;
  readonly headline: string;
  readonly affected: string;
  readonly components: readonly StatusComponentJson[];
  readonly notices: readonly StatusNoticeJson[];
  readonly incident_states: readonly { readonly state: IncidentState; readonly words: string }[];
  /** Checks of the project, and those that no component covers. */
  readonly checks: number;
  readonly uncovered: number;
  readonly max_components: number;
}

export function statusPageAddress(root: string, slug: string): string {
  return `${root}/status/${slug}/`;
}

export function listedStatusPageJson(
  page: StatusPage & { readonly openNotices: number },
  root: string,
): ListedStatusPageJson {
  const { uuid, title, slug, isPublished, components, openNotices } = page;
  return {
    ...{ uuid, title, slug, address: statusPageAddress(root, slug), is_published: isPublished },
    ...{ components: components.length, open_notices: openNotices },
  };
}

export interface ShownStatusPage {
  readonly page: StatusPage;
  readonly view: StatusView;
  /** Of checks by their unique keys. */
  readonly names: ReadonlyMap<string, string>;
  readonly checks: number;
  readonly covered: number;
}

export function statusPageJson(shown: ShownStatusPage, root: string): StatusPageJson {
  const { page, view, checks, covered } = shown;
  const { uuid, title, slug, about, tz, isPublished, revision } = page;
  return {
    ...{ uuid, title, slug, about, tz, revision },
    address: statusPageAddress(root, slug),
    is_published: isPublished,
    headline: HEADLINES[stateOf(view)],
    affected: affectedWords(view),
    components: page.components.map((component) => componentJson(component, shown)),
    notices: view.notices.map((notice) => noticeJson(notice, view)),
    incident_states: INCIDENT_STATES.map((state) => ({ state, words: UPDATE_WORDS[state] })),
    checks,
    uncovered: Math.max(0, checks - covered),
    max_components: MAX_STATUS_COMPONENTS,
  };
}

function componentJson(
  { id, name, group, covers }: StatusPage['components'][number],
  { view, names }: ShownStatusPage,
): StatusComponentJson {
  const { state = 'unknown', checks = 0 } = view.components.find((one) => one.id === id) ?? {};
  const check = 'check' in covers ? covers.check : null;
  return {
    ...{ id, name, group, check, tag: 'tag' in covers ? covers.tag : null },
    check_name: check && (names.get(check) ?? null),
    ...{ checks, state, state_words: COMPONENT_WORDS[state] },
  };
}

function noticeJson(notice: ViewedNotice, view: StatusView): StatusNoticeJson {
  const { uuid, kind, title, componentIds, startsAt, endsAt, updates } = notice;
  return {
    ...{ uuid, kind, title, components: componentIds },
    starts: toIsoSeconds(startsAt),
    ends: toIsoSeconds(endsAt),
    phase: noticePhase(notice, view.now),
    words: noticeWords(notice, view),
    updates: updates.map(({ uuid: id, state, text, createdAt, author }) => ({
      ...{ uuid: id, state, state_words: UPDATE_WORDS[state], text, author },
      at: toIsoSeconds(createdAt),
    })),
  };
}
