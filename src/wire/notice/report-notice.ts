import type { ToldPeriod } from '../../domain/alert/channel-message.ts';
import type { Status } from '../../domain/check/check.ts';
import type { Downtime } from '../../domain/history/downtime.ts';
import type { Instant } from '../../lib/instant.ts';
import { spanText } from '../../lib/text/ages.ts';
import { DEFAULT_DATE_STYLE } from '../../lib/text/date-style.ts';
import { count } from '../../lib/text/durations.ts';
import { checkName, namesText, projectName, rightNow } from '../mail/mail-text.ts';
import { periodName, periodsBetween, reportName, totalText } from '../mail/report-words.ts';
import type { NoticeWords } from './notice-words.ts';

/** What a report into a chat tells of a project. */
export interface ToldReport {
  /** The result of `reportBoundaries`. */
  readonly boundaries: readonly Instant[];
  /** All outages of the last complete period. */
  readonly sum: Downtime;
  /** Why those that began in it did. */
  readonly missed: number;
  readonly overran: number;
  readonly failed: number;
  /** The checks that were down, the longest first, and how many more there were. */
  readonly down: {
    readonly named: readonly (Downtime & { readonly name: string })[];
    readonly more: number;
  };
  /** The checks that had slow runs, those with most first, and how many more there were. */
  readonly slow: {
    readonly named: readonly { readonly name: string; readonly count: number }[];
    readonly more: number;
  };
  /** Of all checks, as it is sent. */
  readonly statuses: readonly Status[];
  /** The names of the first ones that are down as it is sent. */
  readonly downNow: readonly string[];
}

/** The words of the report. One line if nothing was down, and nothing is. */
export function reportNotice(
  { period, tz }: Pick<ToldPeriod, 'period' | 'tz'>,
  project: { readonly name: string },
  report: ToldReport,
): NoticeWords {
  const { sum, statuses, downNow } = report;
  const [latest] = periodsBetween(report.boundaries, tz);
  const when = latest === undefined ? '' : periodName(period, latest, DEFAULT_DATE_STYLE);
  const isFine = sum.count === 0 && downNow.length === 0;
  return {
    title: `${reportName(period)} of ${projectName(project)}`,
    text: isFine
      ? [`${when}: ${totalText(sum)}.`, ...slowTexts(report), rightNow(statuses)].join(' ')
      : [
          `${when}: ${totalText(sum)}${causesText(report)}.`,
          ...report.down.named.map(
            (check) => `${checkName(check)}: ${count(check.count, 'time')}, ${spanText(check.duration)}`,
          ),
          ...(report.down.more > 0 ? [`and ${count(report.down.more, 'check')} more`] : []),
          ...slowTexts(report),
          `Now: ${rightNow(statuses)}${downNowText(report)}`,
        ].join('\n'),
    word: 'Report',
    isFine,
  };
}

/** ` (3 missed, 1 failed)` */
function causesText({ missed, overran, failed }: ToldReport): string {
  const parts = [
    missed === 0 ? '' : `${missed} missed`,
    overran === 0 ? '' : `${overran} ran too long`,
    failed === 0 ? '' : `${failed} failed`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** `Slow: db 2 times, import 1 time.` */
function slowTexts({ slow: { named, more } }: ToldReport): string[] {
  if (named.length === 0) return [];
  const counted = named.map((check) => `${checkName(check)} ${count(check.count, 'time')}`);
  return [`Slow: ${counted.join(', ')}${more > 0 ? ` and ${count(more, 'check')} more` : ''}.`];
}

function downNowText({ statuses, downNow }: ToldReport): string {
  if (downNow.length === 0) return '';
  const down = statuses.filter((status) => status === 'down').length;
  const names = downNow.map((name) => checkName({ name }));
  const shown = down > names.length ? [...names, ...Array(down - names.length).fill('')] : names;
  return ` Down: ${namesText(shown, names.length)}.`;
}
