/** Reads what backup tools say at their end. Unknown output gives null. */
import type { RunOptions } from '../../options.ts';
import { borg } from './borg.ts';
import { pgDump } from './pg-dump.ts';
import { rclone } from './rclone.ts';
import { restic } from './restic.ts';
import { rsync } from './rsync.ts';
import type { Summarize } from './summary.ts';

export const SUMMARIES: Readonly<Record<Exclude<RunOptions['as'], 'none'>, Summarize>> = {
  restic,
  borg,
  borgmatic: borg,
  rclone,
  rsync,
  pg_dump: pgDump,
};
