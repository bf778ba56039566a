import type { Row } from './row.ts';
import { care } from './rows/care.ts';
import { clock } from './rows/clock.ts';
import { database } from './rows/database.ts';
import { disk } from './rows/disk.ts';
import { limits } from './rows/limits.ts';
import { mailIn } from './rows/mail-in.ts';
import { mailOut } from './rows/mail-out.ts';
import { outbound } from './rows/outbound.ts';
import { passage } from './rows/passage.ts';
import { ports } from './rows/ports.ts';
import { proxy } from './rows/proxy.ts';
import { secret } from './rows/secret.ts';
import { settings } from './rows/settings.ts';
import { site } from './rows/site.ts';

/** All rows, in the order in which they are shown. */
export const ROWS: readonly Row[] = [
  settings,
  secret,
  site,
  proxy,
  passage,
  mailOut,
  mailIn,
  clock,
  disk,
  database,
  ports,
  limits,
  outbound,
  care,
];
