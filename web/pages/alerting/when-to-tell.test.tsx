import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, useState } from 'react';
import { all, click, nameOf, one, show, type } from '../../ui/dom.test-support.ts';
import { type Alerting, choiceOf, nameOf as savedAs } from './choice.ts';
import type { Choice } from './chosen.ts';
import { hoursOf, hoursWords, plainHours } from './hours.ts';
import { WhenToTell } from './when-to-tell.tsx';

const PHONE = { uuid: 'phone', kind: 'email', label: 'Email', name: 'Phone', isOff: false };
const ALERTING: Alerting = {
  ...{ policy: 'at-once', tags: [], knownTags: [], calendars: [], channels: [PHONE] },
  policies: [{ uuid: '1', name: 'night', rules: { wait: 3_600, good_runs: 2 } }],
};

const radios = () => [...document.querySelectorAll<HTMLInputElement>('input[type="radio"]')];
const chosen = () =>
  radios()
    .filter(({ checked }) => checked)
    .map(nameOf);
const choose = (name: string) => {
  const radio = radios().find((one) => nameOf(one) === name);
  assert.ok(radio, `${name} in ${radios().map(nameOf)}`);
  return click(radio);
};
const labelled = (label: string) => document.querySelector<HTMLElement>(`[aria-label="${label}"]`);

/** Shows the choice, and collects what is chosen. */
function shown(name: string, alerting = ALERTING) {
  const made: Choice[] = [];
  function Page() {
    const [choice, setChoice] = useState(() => choiceOf(name, alerting));
    const onChange = (next: Choice) => {
      made.push(next);
      setChoice(next);
    };
    return (
      <WhenToTell project="p" {...{ alerting, choice, onChange }} above="As the project: Tell at once">
        <p>For this check</p>
      </WhenToTell>
    );
  }
  const view = show(<Page />);
  return { last: () => made.at(-1), [Symbol.dispose]: () => view[Symbol.dispose]() };
}

test('every way is offered as a sentence, with what it means for the check below', () => {
  using _shown = shown('');

  assert.deepEqual(radios().map(nameOf), [
    'As the project: Tell at once',
    'Tell at once',
    'Twice in a row',
    'Patient: only after 15 min',
    'Working hours; at night only important',
    'Keep reminding every 30 min until somebody answers',
    'Then tell the next after 15 min',
    'Own',
  ]);
  assert.deepEqual(chosen(), ['As the project: Tell at once']);
  assert.match(document.querySelector('fieldset')?.textContent ?? '', /For this check$/);
});

test('changing the minutes of a way chooses it, under a name that tells them', async () => {
  using page = shown('');
  const minutes = labelled('Minutes: Patient: only after');
  assert.ok(minutes);

  await type(minutes, '30');

  assert.deepEqual(chosen(), ['Patient: only after 30 min']);
  const last = page.last();
  assert.ok(last);
  assert.equal(savedAs(last, ALERTING), 'patient-30');
  await type(minutes, '0');
  assert.equal(minutes.getAttribute('aria-invalid'), 'true');
  assert.deepEqual(
    all('alert').map(({ textContent }) => textContent),
    ['1 to 1440 minutes.'],
  );
});

test('telling the next asks whom, at its field', async () => {
  using page = shown('');

  await choose('Then tell the next after 15 min');

  assert.deepEqual(
    all('alert').map(({ textContent }) => textContent),
    ['Choose an integration.'],
  );
  const next = one('combobox', 'Integration that is told next') as HTMLSelectElement;
  await act(async () => {
    next.value = 'phone';
    next.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await choose('Then tell Phone after 15 min');
  assert.deepEqual(all('alert'), []);
  const last = page.last();
  assert.ok(last);
  assert.equal(savedAs(last, ALERTING), 'then-next');
});

test('working hours are asked for once, in the zone of the person', async () => {
  {
    using page = shown('');
    await choose('Working hours; at night only important');

    assert.ok(document.body.textContent?.includes('This is asked once.'));
    const last = page.last();
    assert.ok(last?.is === 'way');
    assert.deepEqual(last.hours?.schedule, 'Mon..Fri 08:00');
    assert.equal((one('combobox', 'Time zone') as HTMLSelectElement).value, last.hours?.tz);
  }
  const calendar = { uuid: 'c', name: 'working-hours', schedule: 'Mon..Fri 09:00', tz: 'Europe/Riga' };
  using page = shown('', { ...ALERTING, calendars: [{ ...calendar, duration: 28_800, except: [] }] });
  await choose('Working hours; at night only important');
  assert.ok(!document.body.textContent?.includes('This is asked once.'));
  assert.ok(document.body.textContent?.includes('Mon–Fri 09:00–17:00, Riga'));
  const last = page.last();
  assert.ok(last?.is === 'way');
  assert.equal(last.hours, undefined);
});

test('a policy of its own is chosen by its name', async () => {
  using page = shown('night');

  assert.deepEqual(chosen(), ['Own']);
  await choose('Twice in a row');
  await choose('Own');
  assert.deepEqual(page.last(), { is: 'named', name: 'night' });
});

test('the choice leads to own ways, and says where to make the first one', () => {
  const link = () => document.querySelector('fieldset a');
  {
    using _shown = shown('', { ...ALERTING, policies: [] });
    assert.equal(link()?.textContent, 'Make an own way');
  }
  using _shown = shown('');

  assert.equal(link()?.textContent, 'Own ways');
  assert.match(link()?.getAttribute('href') ?? '', /\/projects\/p\/settings\/alerts\/#own-ways$/);
});

test('hours become a schedule and come back, also over midnight and around the clock', () => {
  const nightly = { days: '*-*-*', from: '22:00', to: '06:00' } as const;
  const all = { days: 'Mon..Fri', from: '00:00', to: '00:00' } as const;

  assert.deepEqual(hoursOf(nightly), { schedule: '*-*-* 22:00', duration: 28_800 });
  assert.deepEqual(hoursOf(all), { schedule: 'Mon..Fri 00:00', duration: 86_400 });
  for (const plain of [nightly, all]) assert.deepEqual(plainHours({ ...hoursOf(plain), tz: 'UTC' }), plain);
  const other = { schedule: '0 9 * * 1', tz: 'America/New_York', duration: 5_400 };
  assert.equal(plainHours(other), null);
  assert.equal(hoursWords(other), '0 9 * * 1, for 1.5 h, New York');
});
