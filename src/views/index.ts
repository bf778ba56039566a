import * as account from './account.ts';
import * as alerting from './alerting.ts';
import * as auditLog from './audit-log.ts';
import * as channelForms from './channel-forms.ts';
import * as channels from './channels.ts';
import * as checkBoard from './check-board.ts';
import * as checkEditor from './check-editor.ts';
import * as checkPage from './check-page.ts';
import * as checks from './checks.ts';
import * as coverage from './coverage.ts';
import * as dialects from './dialects.ts';
import * as directory from './directory.ts';
import * as entrance from './entrance.ts';
import * as events from './events.ts';
import * as instance from './instance.ts';
import * as keys from './keys.ts';
import * as pings from './pings.ts';
import * as projects from './projects.ts';
import * as quietTimes from './quiet-times.ts';
import * as savedViews from './saved-views.ts';
import * as sessions from './sessions.ts';
import * as statusPages from './status-pages.ts';
import * as team from './team.ts';
import type { AnyView } from './view.ts';
import * as walls from './walls.ts';

/** Everything that pages read, by name. */
export const VIEWS = {
  ...account,
  ...alerting,
  ...auditLog,
  ...channelForms,
  ...channels,
  ...checkBoard,
  ...checkEditor,
  ...checkPage,
  ...checks,
  ...coverage,
  ...dialects,
  ...directory,
  ...entrance,
  ...events,
  ...instance,
  ...keys,
  ...pings,
  ...projects,
  ...quietTimes,
  ...savedViews,
  ...sessions,
  ...statusPages,
  ...team,
  ...walls,
};

export type Views = typeof VIEWS;
/** For the types of answers, in pages. */
export type { JsonPieces, JsonText } from './view.ts';

export const ALL_VIEWS: ReadonlyMap<string, AnyView> = new Map<string, AnyView>(Object.entries(VIEWS));
