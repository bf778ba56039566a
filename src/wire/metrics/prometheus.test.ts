import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../../domain/check/check.test-support.ts';
import type { Check } from '../../domain/check/check.ts';
import { seeChecks } from '../../domain/public/kept-text.ts';
import { prometheusText } from './prometheus.ts';

function textOf(checks: readonly Check[]): string {
  return [...prometheusText(seeChecks(checks, NOW).seen)].join('');
}

suite('metrics of a project', () => {
  test('of an empty project still name all seven families', () => {
    assert.equal(
      textOf([]),
      `# HELP hc_check_up Whether the check is currently up (1 for yes, 0 for no).
# TYPE hc_check_up gauge

# HELP hc_check_started Whether the check is currently started (1 for yes, 0 for no).
# TYPE hc_check_started gauge

# HELP hc_check_grace Whether the check is currently in the grace period (1 for yes, 0 for no).
# TYPE hc_check_grace gauge

# HELP hc_check_paused Whether the check is currently paused (1 for yes, 0 for no).
# TYPE hc_check_paused gauge

# HELP hc_tag_up Whether all checks with this tag are up (1 for yes, 0 for no).
# TYPE hc_tag_up gauge

# HELP hc_checks_total The total number of checks.
# TYPE hc_checks_total gauge
hc_checks_total 0

# HELP hc_checks_down_total The number of checks currently down.
# TYPE hc_checks_down_total gauge
hc_checks_down_total 0
`,
    );
  });

  test('tell what a reader would see at that moment', () => {
    const lines = textOf([
      aCheck({ name: 'new', tags: 'b a' }),
      aCheck({ name: 'running', status: 'up', lastPingAt: NOW, lastStartAt: NOW - MINUTE }),
      aCheck({ name: 'late', status: 'up', lastPingAt: NOW - DAY, tags: 'a' }),
      aCheck({ name: 'paused', status: 'paused' }),
      aCheck({ name: 'hung', status: 'new', lastStartAt: NOW - HOUR, tags: 'b  c' }),
    ])
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== '');
    const key = 'a6c7b0a8a66bed0df66abfdab3c77736861703ee';
    const gauge = (family: string, values: readonly number[]) =>
      ['new', 'running', 'late', 'paused', 'hung'].map((name, index) => {
        const tags = ['b a', '', 'a', '', 'b  c'][index];
        return `${family}{name="${name}", tags="${tags}", unique_key="${key}"} ${values[index]}`;
      });

    assert.deepEqual(lines, [
      ...gauge('hc_check_up', [1, 1, 1, 1, 0]),
      ...gauge('hc_check_started', [0, 1, 0, 0, 1]),
      ...gauge('hc_check_grace', [0, 0, 1, 0, 0]),
      ...gauge('hc_check_paused', [0, 0, 0, 1, 0]),
      'hc_tag_up{tag="a"} 1',
      'hc_tag_up{tag="b"} 0',
      'hc_tag_up{tag="c"} 0',
      'hc_checks_total 5',
      'hc_checks_down_total 1',
    ]);
  });

  test('escape the label values', () => {
    const text = textOf([aCheck({ name: 'a\\b"c\nd', tags: '\\n "' })]);

    assert.ok(text.includes('hc_check_up{name="a\\\\b\\"c\\nd", tags="\\\\n \\"", unique_key='));
    assert.ok(text.includes('hc_tag_up{tag="\\""} 1\nhc_tag_up{tag="\\\\n"} 1\n'));
  });
});
