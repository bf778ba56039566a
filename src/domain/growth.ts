import { type Instant, type Micros, seconds } from '../lib/instant.ts';

const DAY: Micros = seconds(86_400);
/** Sizes that are kept. A month is compared, and no node may have run on some days. */
const KEPT_DAYS = 40;
/** A size may be older by this than it should be. */
const TOLERANCE_DAYS = 2;
/** The forecast follows from this many days, or from fewer if more are not known. */
const FORECAST_DAYS = 30;
/** The disk is nearly full if less than this is left of it. */
const MIN_FREE_SHARE = 0.1;
const MIN_DAYS_LEFT = 30;

/** The size of the database at a time. */
export interface MeasuredSize {
  readonly at: Instant;
  readonly bytes: number;
}

/** The disk that holds the database. */
export interface Disk {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface Growth {
  /** By how much the database grew in 7 and in 30 days. Null if sizes are not known for so long. */
  readonly weekBytes: number | null;
  readonly monthBytes: number | null;
  /** By how much it grows in a day. Null while it has been measured for less than a day. */
  readonly bytesPerDay: number | null;
  /** In how many days the disk is full at this rate. Null if that is not known, or if the database does not grow. */
  readonly fullInDays: number | null;
  /** Whether little of the disk is left, in bytes or in days. */
  readonly isNearlyFull: boolean;
}

/** Whether no size of today is known. */
export function isSizeDue(sizes: readonly MeasuredSize[], now: Instant): boolean {
  return sizes.every(({ at }) => dayOf(at) !== dayOf(now));
}

/** The sizes with another one, in order. Those that are too old are gone, and those that a clock has dated into the future. */
export function withSize(sizes: readonly MeasuredSize[], size: MeasuredSize): MeasuredSize[] {
  return [...sizes.filter(({ at }) => dayOf(at) < dayOf(size.at) && at >= size.at - KEPT_DAYS * DAY), size];
}

export function growthOf(
  sizes: readonly MeasuredSize[],
  { at: now, bytes }: MeasuredSize,
  disk: Disk | null,
): Growth {
  const known = sizes.filter(({ at }) => at <= now - DAY);
  const before = (days: number) => known.findLast(({ at }) => at <= now - days * DAY);
  const grownIn = (days: number) => {
    const first = before(days);
    return first === undefined || first.at < now - (days + TOLERANCE_DAYS) * DAY ? null : bytes - first.bytes;
  };
  const first = before(FORECAST_DAYS) ?? known[0];
  const bytesPerDay = first === undefined ? null : ((bytes - first.bytes) / (now - first.at)) * DAY;
  const fullInDays =
    disk === null || bytesPerDay === null || bytesPerDay <= 0 ? null : disk.freeBytes / bytesPerDay;
  return {
    weekBytes: grownIn(7),
    monthBytes: grownIn(30),
    bytesPerDay,
    fullInDays,
    isNearlyFull:
      disk !== null &&
      (disk.freeBytes < MIN_FREE_SHARE * disk.totalBytes || (fullInDays ?? Infinity) < MIN_DAYS_LEFT),
  };
}

function dayOf(at: Instant): number {
  return Math.floor(at / DAY);
}
