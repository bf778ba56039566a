import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, anEvent, anEventWithBody, bodyOf, OTHERS } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { wecom } from './wecom.ts';

const SETTINGS = { url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=secret' };

const contentOf = (event: AlertEvent) =>
  bodyOf<{ markdown: { content: string } }>(wecom.render(event, SETTINGS, {})).markdown.content;

suite('WeCom', () => {
  test('the state is colored', () => {
    assert.match(contentOf(anEvent()), /<font color="warning">\*\*DOWN\*\*<\/font>/);
    assert.match(contentOf(anEvent({ to: 'up' })), /<font color="info">\*\*UP\*\*<\/font>/);
  });

  test('text calls nobody and has no color of its own', () => {
    const content = contentOf(
      anEvent({ check: aCheck({ description: '<@all> <font color="info">fine</font>' }) }),
    );

    assert.doesNotMatch(content, /<@|<font color="info">fine/);
  });

  test('what is too long for WeCom goes from the end: the body, the description, the details', () => {
    const body = `BODY${'日'.repeat(5000)}`;
    const named = (name: string, description: string) => ({
      ...anEventWithBody(body),
      check: aCheck({ name, description }),
    });

    const short = contentOf(named('job', 'WHY'));
    const long = contentOf(named('job', `WHY${'日'.repeat(5000)}`));
    const other = { ...OTHERS, checks: OTHERS.checks.map((one) => ({ ...one, name: '日'.repeat(200) })) };
    const longest = contentOf({
      ...named('job', 'WHY'),
      check: aCheck({ name: 'job', tags: '日'.repeat(500) }),
      projectName: `PROJECT${'日'.repeat(190)}`,
      others: { ...other, down: 3, checks: [other.checks, other.checks, other.checks].flat() },
    });

    for (const text of [short, long, longest]) assert.ok(Buffer.byteLength(text) <= 4096);
    assert.match(short, /WHY.*BODY/s);
    assert.match(long, /WHY/);
    assert.doesNotMatch(long, /BODY/);
    assert.doesNotMatch(longest, /PROJECT/);
    assert.match(longest, /job.*DOWN/);
  });
});
