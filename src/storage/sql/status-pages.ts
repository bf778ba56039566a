import {
  MAX_NOTICE_UPDATES,
  type NewNoticeUpdate,
  type NewStatusNotice,
  type NewStatusPage,
  type NoticeUpdate,
  type StatusNotice,
  type StatusPage,
  type StatusPageText,
  type ToldNotice,
} from '../../domain/public/status-page.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { isLive } from './membership.ts';
import { Statements } from './statements.ts';
import { type Stored, Table } from './table.ts';

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
  /** Without notices that were over at that time. */
  readonly endedAfter: Instant;
  /** Open ones come first, then planned ones, the next before later ones, then the last that ended. */
  readonly mostNotices: number;
  /** In all notices together. The newest of each notice come first. */
  readonly mostUpdates: number;
}

const pages = new Table<keyof NewStatusPage>('status_pages', {
  uuid: 'uuid',
  projectId: 'project_id',
  slug: 'slug',
  title: 'title',
  about: 'about',
  tz: 'tz',
  isPublished: 'is_published',
  components: 'components',
  revision: 'revision',
  createdAt: 'created_at',
});

const notices = new Table<keyof NewStatusNotice>('status_notices', {
  uuid: 'uuid',
  pageId: 'page_id',
  kind: 'kind',
  title: 'title',
  componentIds: 'component_ids',
  startsAt: 'starts_at',
  endsAt: 'ends_at',
  createdAt: 'created_at',
});

const updates = new Table<keyof NewNoticeUpdate>('status_updates', {
  uuid: 'uuid',
  noticeId: 'notice_id',
  state: 'state',
  text: 'text',
  createdAt: 'created_at',
  author: 'author',
});

/** Lists are JSON. */
type PageRow = Stored<Omit<StatusPage, 'components'>> & { components: string };
type NoticeRow = Omit<StatusNotice, 'componentIds'> & { componentIds: string };

function pageOf<Row extends PageRow>(row: Row): Row & StatusPage {
  return { ...row, isPublished: Boolean(row.isPublished), components: JSON.parse(row.components) };
}

function noticeOf(row: NoticeRow): StatusNotice {
  return { ...row, componentIds: JSON.parse(row.componentIds) };
}

export class SqlStatusPageReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The page that everybody may read. Null if it is not published, or its project is deleted. */
  async published(slug: string): Promise<PublishedPage | null> {
    const [row] = await this.db.all<PageRow & { ownerId: number }>(
      `select ${pages.columns},
              (select owner_id from projects where projects.id = status_pages.project_id) as "ownerId"
         from status_pages
        where slug = $1 and is_published and ${isLive('status_pages.project_id')}`,
      [slug],
    );
    return row === undefined ? null : pageOf(row);
  }

  /** The project's pages, in order of creation. */
  async ofProject(projectId: number, now: Instant): Promise<ListedStatusPage[]> {
    const rows = await this.db.all<PageRow & { openNotices: number }>(
      `select ${pages.columns},
              (select count(*) from status_notices
                where page_id = status_pages.id and (ends_at is null or ends_at > $2)) as "openNotices"
         from status_pages where project_id = $1 order by id`,
      [projectId, now],
    );
    return rows.map(pageOf);
  }

  async byUuid(projectId: number, uuid: string): Promise<StatusPage | null> {
    const [row] = await this.db.all<PageRow>(
      `select ${pages.columns} from status_pages where uuid = $2 and project_id = $1`,
      [projectId, uuid],
    );
    return row === undefined ? null : pageOf(row);
  }

  /** The notices of the page; the latest first. */
  async notices(pageId: number, wanted: WantedNotices): Promise<ToldNotice[]> {
    const { now, endedAfter, mostNotices, mostUpdates } = wanted;
    const rows = await this.db.all<NoticeRow>(
      `select ${notices.columns} from status_notices
        where page_id = $1 and (ends_at is null or ends_at > $2)
        order by case when starts_at > $3 then 1 when ends_at <= $3 then 2 else 0 end,
                 case when starts_at > $3 then starts_at when ends_at <= $3 then -ends_at else -starts_at end,
                 id desc
        limit $4`,
      [pageId, endedAfter, now, mostNotices],
    );
    const latestFirst = rows.toSorted((a, b) => b.startsAt - a.startsAt || b.id - a.id);
    return withUpdates(this.db, this.dialect, latestFirst, mostUpdates);
  }
}

async function withUpdates(
  db: Reader,
  dialect: Dialect,
  rows: readonly NoticeRow[],
  most: number,
): Promise<ToldNotice[]> {
  const found = await db.all<NoticeUpdate>(
    `select ${updates.columns} from
            (select *, row_number() over (partition by notice_id order by id desc) as place from status_updates
              where notice_id ${dialect.inList('$1')}) as placed
      order by place, notice_id desc limit $2`,
    [dialect.list(rows.map(({ id }) => id)), most],
  );
  const byNotice = Map.groupBy(found, ({ noticeId }) => noticeId);
  return rows.map((row) => ({ ...noticeOf(row), updates: byNotice.get(row.id) ?? [] }));
}

export class SqlStatusPages extends SqlStatusPageReads<Writer> {
  /** The page, held until the transaction ends. */
  async lock(projectId: number, uuid: string): Promise<StatusPage | null> {
    const [row] = await this.db.all<PageRow>(
      `select ${pages.columns} from status_pages
        where uuid = $2 and project_id = $1 ${this.dialect.forUpdate}`,
      [projectId, uuid],
    );
    return row === undefined ? null : pageOf(row);
  }

  async countOf(projectId: number): Promise<number> {
    return this.counted('select count(*) as count from status_pages where project_id = $1', [projectId]);
  }

  /** Whether a page of any project has the slug. */
  async isTaken(slug: string): Promise<boolean> {
    return this.hasRow('select id from status_pages where slug = $1', [slug]);
  }

  async insert(page: NewStatusPage): Promise<StatusPage> {
    const row = { ...page, components: JSON.stringify(page.components) };
    return { ...page, id: await pages.add(this.db, row) };
  }

  async save(id: number, { slug, title, about, tz, components }: StatusPageText): Promise<void> {
    await this.db.send(
      `update status_pages set slug = $2, title = $3, about = $4, tz = $5, components = $6, revision = revision + 1
        where id = $1`,
      [[id, slug, title, about, tz, JSON.stringify(components)]],
    );
  }

  async setPublished(id: number, isPublished: boolean): Promise<void> {
    await this.db.send('update status_pages set is_published = $2, revision = revision + 1 where id = $1', [
      [id, isPublished],
    ]);
  }

  /** Raises the revision of the page. */
  async touch(id: number): Promise<void> {
    await this.db.send('update status_pages set revision = revision + 1 where id = $1', [[id]]);
  }

  async delete(id: number): Promise<void> {
    await this.db.send('delete from status_pages where id = $1', [[id]]);
  }

  async noticeByUuid(pageId: number, uuid: string): Promise<ToldNotice | null> {
    const rows = await this.db.all<NoticeRow>(
      `select ${notices.columns} from status_notices where uuid = $2 and page_id = $1`,
      [pageId, uuid],
    );
    return (await withUpdates(this.db, this.dialect, rows, MAX_NOTICE_UPDATES))[0] ?? null;
  }

  async countNotices(pageId: number): Promise<number> {
    return this.counted('select count(*) as count from status_notices where page_id = $1', [pageId]);
  }

  async insertNotice(notice: NewStatusNotice): Promise<StatusNotice> {
    const row = { ...notice, componentIds: JSON.stringify(notice.componentIds) };
    return { ...notice, id: await notices.add(this.db, row) };
  }

  async saveNotice({ id, title, componentIds, startsAt, endsAt }: StatusNotice): Promise<void> {
    await this.db.send(
      'update status_notices set title = $2, component_ids = $3, starts_at = $4, ends_at = $5 where id = $1',
      [[id, title, JSON.stringify(componentIds), startsAt, endsAt]],
    );
  }

  async deleteNotice(id: number): Promise<void> {
    await this.db.send('delete from status_notices where id = $1', [[id]]);
  }

  /** Removes notices that were over before that time. */
  async forgetNotices(pageId: number, before: Instant): Promise<void> {
    await this.db.send('delete from status_notices where page_id = $1 and ends_at < $2', [[pageId, before]]);
  }

  async insertUpdate(update: NewNoticeUpdate): Promise<NoticeUpdate> {
    return { ...update, id: await updates.add(this.db, update) };
  }

  async saveUpdateText(id: number, text: string): Promise<void> {
    await this.db.send('update status_updates set text = $2 where id = $1', [[id, text]]);
  }
}
