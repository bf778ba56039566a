import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { StatusCounts } from './badge.ts';

export const MAX_STATUS_PAGES = 20;
export const MAX_STATUS_COMPONENTS = 40;
/** Incidents and maintenances of a page that are kept, past ones included. */
export const MAX_STATUS_NOTICES = 300;
export const MAX_NOTICE_UPDATES = 100;
/** Incidents and maintenances on a page at once, open ones before the rest. */
export const MAX_SHOWN_NOTICES = 50;
/** Updates that the page tells at once, the newest of each notice before the rest. */
export const MAX_SHOWN_UPDATES = 250;
/** After that time the page forgets an incident or a maintenance. */
export const NOTICES_KEPT: Micros = seconds(365 * 86_400);
/** The days for which the page shows a bar, with today. */
export const STATUS_DAYS = 90;
/** Days for which the page shows past notices. */
export const PAST_DAYS = 14;

/** A page that tells outsiders how the checks of a project are doing. Nobody sees it until it is published. */
export interface StatusPage {
  readonly id: number;
  readonly uuid: string;
  readonly projectId: number;
  /** Its place in the address. No other page of the installation has the same. */
  readonly slug: string;
  readonly title: string;
  /** A sentence or two under the title. May be empty. */
  readonly about: string;
  /** The zone of its days and times. */
  readonly tz: string;
  readonly isPublished: boolean;
  readonly components: readonly StatusComponent[];
  /** Raised by every change of the page and of its notices. */
  readonly revision: number;
  readonly createdAt: Instant;
}

export type NewStatusPage = Omit<StatusPage, 'id'>;

/** The editable part of a page. */
export type StatusPageText = Pick<StatusPage, 'slug' | 'title' | 'about' | 'tz' | 'components'>;

/** A line of the page: a public name for the worst of the checks that it covers. */
export interface StatusComponent {
  /** Names it within the page. */
  readonly id: string;
  readonly name: string;
  /** Components with the same group stand under its name. May be empty. */
  readonly group: string;
  readonly covers: Coverage;
}

/** The checks of a component: all with a tag, or one, by its unique key. */
export type Coverage = { readonly tag: string } | { readonly check: string };

/** An incident lasts until somebody says that it is over. The end of a maintenance is planned. */
export type NoticeKind = 'incident' | 'maintenance';

/** An announcement to the readers of a status page. */
export interface StatusNotice {
  readonly id: number;
  readonly uuid: string;
  readonly pageId: number;
  readonly kind: NoticeKind;
  readonly title: string;
  /** The components that it touches. */
  readonly componentIds: readonly string[];
  readonly startsAt: Instant;
  readonly endsAt: Instant | null;
  readonly createdAt: Instant;
}

export type NewStatusNotice = Omit<StatusNotice, 'id'>;

export const INCIDENT_STATES = ['looking', 'found', 'watching', 'over'] as const;

export type IncidentState = (typeof INCIDENT_STATES)[number];

/** The state after an update. A maintenance has its state by its times, so its updates are notes. */
export type UpdateState = IncidentState | 'note';

export interface UpdateText {
  readonly state: UpdateState;
  readonly text: string;
}

export interface NoticeUpdate extends UpdateText {
  readonly id: number;
  readonly uuid: string;
  readonly noticeId: number;
  readonly createdAt: Instant;
  /** The author's name, for members of the project. */
  readonly author: string;
}

export type NewNoticeUpdate = Omit<NoticeUpdate, 'id'>;

/** A notice with its updates, the newest first. */
export interface ToldNotice extends StatusNotice {
  readonly updates: readonly NoticeUpdate[];
}

export function noticePhase({ startsAt, endsAt }: StatusNotice, now: Instant): 'planned' | 'open' | 'over' {
  if (now < startsAt) return 'planned';
  return endsAt === null || now < endsAt ? 'open' : 'over';
}

/** The public state of a component. `unknown`: none of its checks is watched. */
export type ComponentState = 'works' | 'late' | 'down' | 'unknown';

/** The worst of the checks. */
export function componentState({
  down,
  grace,
  up,
}: Pick<StatusCounts, 'down' | 'grace' | 'up'>): ComponentState {
  if (down > 0) return 'down';
  if (grace > 0) return 'late';
  return up > 0 ? 'works' : 'unknown';
}

/** The state of the whole page, for its headline. */
export type PageState = 'works' | 'late' | 'partly_down' | 'down' | 'unknown';

export function pageState(states: readonly ComponentState[]): PageState {
  const known = states.filter((state) => state !== 'unknown');
  if (known.length === 0) return 'unknown';
  if (known.every((state) => state === 'down')) return 'down';
  if (known.includes('down')) return 'partly_down';
  return known.includes('late') ? 'late' : 'works';
}
