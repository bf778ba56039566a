import type { Project } from '../../src/domain/people/project.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import type { TestApp } from '../../test/app.ts';
import { addProject, cron, every, type Job, type Step, simple } from '../../test/browser/demo.ts';
import { givenAccount } from '../../test/dashboard/browser.ts';

const MINUTE = seconds(60);
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const daily = (name: string, hours: number, rest: Partial<Job> & { readonly tags?: string } = {}): Job => ({
  check: { name, tags: rest.tags ?? '', ...simple(86_400, 3_600) },
  runs: rest.runs ?? every(DAY, 20, hours * HOUR, 240),
  channels: rest.channels ?? ['mail', 'chat'],
});

const hourly = (name: string, minutes: number, tags = ''): Job => ({
  check: { name, tags, ...simple(3_600, 900) },
  runs: every(HOUR, 40, minutes * MINUTE, 20),
  channels: ['mail'],
});

/**
 * Five projects in which different things go on. Whoever has never seen them must be able to tell from one look at the list:
 * is anything wrong, since when, why, what happens next, and who was told.
 */
const PROJECTS: Readonly<Record<string, readonly Job[]>> = {
  Bakery: [
    daily('orders-to-ovens', 9),
    daily('flour-stock', 5),
    hourly('till-sync', 17),
    hourly('fridge-temperatures', 4),
    { check: { name: 'yearly-audit', ...cron('0 6 1 1 *') }, runs: [], channels: ['mail'] },
    {
      check: { name: 'old-website', ...simple(86_400, 3_600), status: 'paused' },
      runs: [],
      channels: ['mail'],
    },
  ],
  Clinic: [
    daily('patient-backup', 31, { channels: ['mail', 'chat', 'hook'] }),
    daily('lab-results', 6),
    hourly('appointment-reminders', 22),
    daily('insurance-export', 27, { channels: [] }),
  ],
  Harbour: [
    hourly('crane-1', 95, 'cranes'),
    hourly('crane-2', 94, 'cranes'),
    hourly('crane-3', 96, 'cranes'),
    hourly('weather', 8),
    daily('customs-report', 11),
    hourly('tide-table', 68),
  ],
  Observatory: [
    {
      check: { name: 'calibrate-mirror', tags: 'night', ...simple(21_600, 3_600) },
      runs: [...every(6 * HOUR, 20, 6 * HOUR, 300), { ago: 31 * MINUTE, takesSeconds: 0, isOpen: true }],
      channels: ['mail', 'chat'],
    },
    daily('sky-survey', 4, {
      runs: [
        ...every(DAY, 20, 26 * HOUR, 3_600),
        { ago: 2 * HOUR, takesSeconds: 700, exit: 3, body: 'reading frames\nno space left on /data' },
      ],
    }),
    hourly('telemetry', 12),
    { check: { name: 'first-light', ...simple(3_600, 600) }, runs: [], channels: ['mail'] },
  ],
  Radio: [
    {
      check: { name: 'playlist', ...simple(1_800, 300) },
      runs: [...every(30 * MINUTE, 20, 5 * HOUR, 9), ...every(30 * MINUTE, 6, 20 * MINUTE, 9)],
      channels: ['mail', 'chat'],
    },
    daily('news-import', 3),
    hourly('stream-health', 2),
    daily('archive', 20),
  ],
};

/** Adds the five projects, and returns what their jobs will do until now. */
export async function addGlance(app: TestApp, now: Instant) {
  const account = await givenAccount(app, { email: 'ivan@example.org', name: 'Ivan' });
  const projects: Project[] = [];
  const steps: Step[] = [];
  for (const [name, jobs] of Object.entries(PROJECTS)) {
    const made = await addProject(app, account.id, name, jobs, now);
    projects.push(made.project);
    steps.push(...made.steps);
  }
  return { account, projects, steps };
}
