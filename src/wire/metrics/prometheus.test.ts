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
  test('of an empty project still name all families', () => {
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

# HELP tocsin_job_last_success_timestamp_seconds When the last success arrived.
# TYPE tocsin_job_last_success_timestamp_seconds gauge

# HELP tocsin_job_last_duration_seconds How long the last run took, if it had a start.
# TYPE tocsin_job_last_duration_seconds gauge

# HELP tocsin_job_last_result How the last run ended (1 for success, 0 for failure).
# TYPE tocsin_job_last_result gauge

# HELP tocsin_job_next_expected_timestamp_seconds When the next ping is expected.
# TYPE tocsin_job_next_expected_timestamp_seconds gauge
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
      .filter((line) => line.startsWith('hc_'));
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

  test('tell of a job only what is known of it', () => {
    const text = textOf([
      aCheck({ name: 'new', status: 'new', lastStartAt: NOW }),
      aCheck({ name: 'good', status: 'up', lastPingAt: NOW, lastSuccessAt: NOW, lastResult: 'success' }),
      aCheck({
        name: 'bad',
        status: 'down',
        lastPingAt: NOW,
        lastSuccessAt: NOW - DAY + 1,
        lastResult: 'fail',
        lastDuration: 1_500_000,
      }),
      aCheck({ name: 'paused', status: 'paused', lastPingAt: NOW, lastResult: 'fail' }),
    ]);

    const lines = text.split('\n').filter((line) => line.startsWith('tocsin_job_'));
    const told = lines.map((line) => line.replace(/^tocsin_job_(\w+)\{name="(\w+)", [^}]*\} /, '$1 $2 '));
    const now = NOW / 1_000_000;
    assert.deepEqual(told, [
      `last_success_timestamp_seconds good ${now}`,
      `last_success_timestamp_seconds bad ${now - 86_400}.000001`,
      'last_duration_seconds bad 1.5',
      'last_result good 1',
      'last_result bad 0',
      'last_result paused 0',
      `next_expected_timestamp_seconds good ${now + 86_400}`,
    ]);
  });

  test('escape the label values', () => {
    const text = textOf([aCheck({ name: 'a\\b"c\nd', tags: '\\n "', lastResult: 'fail' })]);

    assert.ok(text.includes('hc_check_up{name="a\\\\b\\"c\\nd", tags="\\\\n \\"", unique_key='));
    assert.ok(text.includes('tocsin_job_last_result{name="a\\\\b\\"c\\nd", tags="\\\\n \\"", unique_key='));
    assert.ok(text.includes('hc_tag_up{tag="\\""} 1\nhc_tag_up{tag="\\\\n"} 1\n'));
  });
});
