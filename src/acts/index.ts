import * as account from './account.ts';
import type { AnyAct } from './act.ts';
import * as alerting from './alerting.ts';
import * as answers from './answers.ts';
import * as badges from './badges.ts';
import * as channels from './channels.ts';
import * as checkSettings from './check-settings.ts';
import * as checks from './checks.ts';
import * as connections from './connections.ts';
import * as dialects from './dialects.ts';
import * as instance from './instance.ts';
import * as joining from './joining.ts';
import * as keys from './keys.ts';
import * as manyChecks from './many-checks.ts';
import * as projects from './projects.ts';
import * as quietTimes from './quiet-times.ts';
import * as savedViews from './saved-views.ts';
import * as secondFactors from './second-factors.ts';
import * as sessions from './sessions.ts';
import * as signIn from './sign-in.ts';
import * as signUp from './sign-up.ts';
import * as statusPages from './status-pages.ts';
import * as team from './team.ts';
import * as tokens from './tokens.ts';
import * as walls from './walls.ts';

/** Everything that people do on pages, by name. */
export const ACTS = {
  ...account,
  ...alerting,
  ...answers,
  ...badges,
  ...channels,
  ...checkSettings,
  ...checks,
  ...connections,
  ...dialects,
  ...instance,
  ...joining,
  ...keys,
  ...manyChecks,
  ...projects,
  ...quietTimes,
  ...savedViews,
  ...secondFactors,
  ...sessions,
  ...signIn,
  ...signUp,
  ...statusPages,
  ...team,
  ...tokens,
  ...walls,
};

export type Acts = typeof ACTS;

export const ALL_ACTS: ReadonlyMap<string, AnyAct> = new Map<string, AnyAct>(Object.entries(ACTS));
