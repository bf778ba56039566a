import assert from 'node:assert/strict';

export interface Family {
  readonly type: string;
  readonly help: string;
  /** By name and labels, as they stand in the text. */
  readonly samples: Map<string, number>;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^(${NAME})(\\{(?:${LABEL}(?:, ?${LABEL})*)?\\})? (\\S+)$`);
const VALUE = /^(?:[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?|[+-]?Inf|NaN)$/i;

/**
 * Reads Prometheus' text format, version 0.0.4, and holds it to its rules: lines end in a line feed, a family has
 * one HELP and one TYPE before its samples, which stand together, none of them twice; buckets of a histogram add up.
 */
export function parseExposition(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line ends in a line feed');
  const families = new Map<string, Family>();
  let current: { name: string; help: string } | null = null;
  let family: Family | null = null;
  for (const line of text.split('\n').slice(0, -1)) {
    if (line === '') continue;
    const [, helpName, help] = new RegExp(`^# HELP (${NAME}) (.+)$`).exec(line) ?? [];
    const [, typeName, type] = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`).exec(line) ?? [];
    if (helpName !== undefined && help !== undefined) {
      assert.ok(!families.has(helpName), `${helpName} comes twice`);
      current = { name: helpName, help };
      family = null;
    } else if (typeName !== undefined && type !== undefined) {
      assert.ok(
        current !== null && current.name === typeName && family === null,
        `${line} has its HELP before it`,
      );
      family = { type, help: current.help, samples: new Map() };
      families.set(typeName, family);
    } else {
      const [, name, labels = '', value = ''] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`);
      assert.match(value, VALUE, line);
      assert.ok(current !== null && family !== null, `${line} has its TYPE before it`);
      const own: string | undefined =
        family.type === 'histogram' ? name?.replace(/_(?:bucket|sum|count)$/, '') : name;
      assert.equal(own, current.name, `${line} stands with its family`);
      if (family.type === 'counter') assert.ok(name?.endsWith('_total'), `${name} is a counter`);
      assert.ok(!family.samples.has(`${name}${labels}`), `${line} comes twice`);
      family.samples.set(`${name}${labels}`, Number(value.replace('Inf', 'Infinity')));
    }
  }
  for (const [name, { type, samples }] of families) if (type === 'histogram') assertBuckets(name, samples);
  return families;
}

function assertBuckets(name: string, samples: Map<string, number>): void {
  const buckets = [...samples].filter(([key]) => key.startsWith(`${name}_bucket`));
  const bounds = buckets.map(([key]) => Number(/le="([^"]+)"/.exec(key)?.[1]?.replace('Inf', 'Infinity')));
  assert.deepEqual(
    bounds,
    bounds.toSorted((one, two) => one - two),
    `bounds of ${name} ascend`,
  );
  assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY);
  const counts = buckets.map(([, count]) => count);
  assert.deepEqual(
    counts,
    counts.toSorted((one, two) => one - two),
    `buckets of ${name} add up`,
  );
  assert.equal(counts.at(-1), samples.get(`${name}_count`));
  assert.ok(samples.has(`${name}_sum`));
}
