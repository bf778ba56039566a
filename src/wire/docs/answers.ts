import type { SchedulePreview } from '../../domain/check/schedule-preview.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { type Instant, toTemporal } from '../../lib/instant.ts';
import { runTime } from '../../lib/text/clock-text.ts';
import type { FoundSection } from './search.ts';

/** The results of a search. */
export function foundHtml(query: string, found: readonly FoundSection[], base: string): string {
  if (query.trim() === '') return '<p>Type what you look for: a word, a setting, an error.</p>';
  if (found.length === 0) return `<p>Nothing found for “${escapeHtml(query)}”.</p>`;
  const items = found.map(({ section: { path, page, id, heading }, excerpt }) => {
    const title = heading === '' || heading === page ? page : `${page}: ${heading}`;
    const text = excerpt.map((piece) =>
      piece.isHit ? `<mark>${escapeHtml(piece.text)}</mark>` : escapeHtml(piece.text),
    );
    const href = `${base}${path}${id === '' ? '' : `#${id}`}`;
    return `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a><p>${text.join('')}</p></li>`;
  });
  return `<ul class="found">${items.join('\n')}</ul>`;
}

/** Expressions that people often need. */
const COMMON = [
  '* * * * *',
  '*/5 * * * *',
  '*/15 * * * *',
  '0 * * * *',
  '30 3 * * *',
  '0 9 * * 1-5',
  '0 0 * * 0',
  '0 */6 * * *',
  '0 0 1 * *',
  '0 3 L * *',
  '0 8 * * MON#1',
  '30 3 1,15 * *',
  'Mon..Fri 09:00',
  '*-*~1 03:30',
] as const;

/** A schedule that was tried, and its meaning. */
export interface Trial {
  readonly schedule: string;
  readonly tz: string;
  /** A text: why it is refused. Null: nothing was tried yet. */
  readonly result: Pick<SchedulePreview, 'words' | 'runs'> | string | null;
}

/** The form to try a schedule, its answer, and common ones. `words` explains an expression. */
export function trialHtml(trial: Trial, page: string, words: (expression: string) => string): string {
  const { schedule, tz } = trial;
  const rows = COMMON.map((expression) => {
    const href = `${page}?${new URLSearchParams({ schedule: expression, tz })}`;
    return `<tr><td><code>${escapeHtml(expression)}</code></td><td>${escapeHtml(words(expression))}</td><td><a class="try" href="${escapeHtml(href)}" aria-label="Test ${escapeHtml(expression)}">Test</a></td></tr>`;
  });
  return `<form class="tester" action="${escapeHtml(page)}">
<label>Schedule<input name="schedule" value="${escapeHtml(schedule)}" maxlength="100" autocomplete="off" spellcheck="false"></label>
<label>Time zone<input name="tz" value="${escapeHtml(tz)}" maxlength="100" autocomplete="off" spellcheck="false"></label>
<button class="button">Test</button>
</form>
<div id="trial" aria-live="polite">${resultHtml(trial)}</div>
<h2 id="common-schedules"><a href="#common-schedules">Common schedules</a></h2>
<div class="table" tabindex="0"><table><thead><tr><th scope="col">Schedule</th><th scope="col">Meaning</th><td></td></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}

function resultHtml({ tz, result }: Trial): string {
  if (result === null) return '';
  if (typeof result === 'string') return `<p class="fault">${escapeHtml(result)}</p>`;
  const { words, runs } = result;
  const table = runs.length === 0 ? '<p>It does not run any more.</p>' : runsTable(runs, tz);
  return `<p><strong>${escapeHtml(words)}</strong></p>${table}`;
}

/** In the zone, and in UTC where that is another. */
function runsTable(runs: readonly Instant[], tz: string): string {
  const isUtc = tz === 'UTC';
  const head = isUtc ? '' : '<th scope="col">In UTC</th>';
  const rows = runs.map((run) => {
    const utc = isUtc ? '' : `<td>${escapeHtml(toTemporal(run).toString())}</td>`;
    return `<tr><td>${escapeHtml(runTime(run, tz))}</td>${utc}</tr>`;
  });
  return `<div class="table" tabindex="0"><table><thead><tr><th scope="col">Next runs in ${escapeHtml(tz)}</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
