import type {
  NewNoticeUpdate,
  NewStatusNotice,
  NewStatusPage,
  NoticeUpdate,
  StatusNotice,
  StatusPage,
  StatusPageText,
  ToldNotice,
} from '../../domain/public/status-page.ts';
import type { Instant } from '../../lib/instant.ts';

/** A page in a list. */
export interface ListedStatusPage extends StatusPage {
  /** Incidents and maintenances that are not over. */
  readonly openNotices: number;
}

/** A page that everybody may read. */
export interface PublishedPage extends StatusPage {
  /** The account that owns its project. */
  readonly ownerId: number;
}

/** Which notices of a page are read. */
export interface WantedNotices {
  readonly now: Instant;
  /** Without what was over at that time. */
  readonly endedAfter: Instant;
  /** What is open comes first, then what is planned, the next before later ones, then what was over last. */
  readonly mostNotices: number;
  /** In all notices together. The newest of each notice come first. */
  readonly mostUpdates: number;
}

export interface StatusPageReads {
  /** The page that everybody may read. Null if it is not published, or its project is deleted. */
  published(slug: string): Promise<PublishedPage | null>;
  /** The project's pages, in order of creation. */
  ofProject(projectId: number, now: Instant): Promise<ListedStatusPage[]>;
  byUuid(projectId: number, uuid: string): Promise<StatusPage | null>;
  /** What the page tells; the latest first. */
  notices(pageId: number, wanted: WantedNotices): Promise<ToldNotice[]>;
}

export interface StatusPageWrites extends StatusPageReads {
  /** The page, held until the transaction ends. */
  lock(projectId: number, uuid: string): Promise<StatusPage | null>;
  countOf(projectId: number): Promise<number>;
  /** Whether a page of any project has the slug. */
  isTaken(slug: string): Promise<boolean>;
  insert(page: NewStatusPage): Promise<StatusPage>;
  save(id: number, text: StatusPageText): Promise<void>;
  setPublished(id: number, isPublished: boolean): Promise<void>;
  /** Raises the revision of the page. */
  touch(id: number): Promise<void>;
  delete(id: number): Promise<void>;
  noticeByUuid(pageId: number, uuid: string): Promise<ToldNotice | null>;
  countNotices(pageId: number): Promise<number>;
  insertNotice(notice: NewStatusNotice): Promise<StatusNotice>;
  saveNotice(notice: StatusNotice): Promise<void>;
  deleteNotice(id: number): Promise<void>;
  /** Removes what was over before that time. */
  forgetNotices(pageId: number, before: Instant): Promise<void>;
  insertUpdate(update: NewNoticeUpdate): Promise<NoticeUpdate>;
  saveUpdateText(id: number, text: string): Promise<void>;
}
