import { account } from './en/account.ts';
import { admin } from './en/admin.ts';
import { badges } from './en/badges.ts';
import { check } from './en/check.ts';
import { checkActs } from './en/check-acts.ts';
import { checkEditor } from './en/check-editor.ts';
import { checks, runs } from './en/checks.ts';
import { components } from './en/components.ts';
import { entrance } from './en/entrance.ts';
import { integrations } from './en/integrations.ts';
import { interruptions } from './en/interruptions.ts';
import { live } from './en/live.ts';
import { keyboard, palette } from './en/palette.ts';
import { projects } from './en/projects.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { statusPages } from './en/status-pages.ts';
import { timeline } from './en/timeline.ts';
import { walls } from './en/walls.ts';

/** Every text of the pages. Another language is another file of this shape. */
export const en = {
  account,
  ...entrance,
  ...shell,
  ...interruptions,
  badges,
  checkActs,
  admin,
  check,
  checkEditor,
  checks,
  components,
  integrations,
  keyboard,
  live,
  palette,
  projects,
  runs,
  settings,
  statusPages,
  walls,
  timeline,
} as const;

/** Texts as they may differ: of the same names, and functions of the same arguments. */
type Texts<T> = {
  readonly [Name in keyof T]: T[Name] extends string
    ? string
    : T[Name] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : Texts<T[Name]>;
};

export type Messages = Texts<typeof en>;
