import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { badgeSvg } from '../../src/wire/badge/svg.ts';
import { REPOSITORY } from '../process.ts';

const CSS = await readFile(join(REPOSITORY, 'web/ui/tokens.css'), 'utf8');
const THEMES = { light: blockOf(':root'), dark: blockOf('[data-theme="dark"]') };

/** The contrast that WCAG 2.2 AA asks for. */
const MIN_TEXT = 4.5;
const MIN_GRAPHIC = 3;

const BACKGROUNDS = ['canvas', 'surface', 'sunken'];
const STATUSES = ['up', 'late', 'down', 'run', 'quiet'];

function blockOf(selector: string): Readonly<Record<string, string>> {
  const start = CSS.indexOf(`${selector} {`);
  const block = CSS.slice(start, CSS.indexOf('}', start));
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]),
  );
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

for (const [theme, tokens] of Object.entries(THEMES)) {
  const of = (name: string) => tokens[name] ?? assert.fail(`${theme} has no ${name}`);
  const pairs = (names: readonly string[], backgrounds: readonly string[]) =>
    names.flatMap((name) => backgrounds.map((background) => [name, background] as const));

  test(`every text can be read in the ${theme} theme`, () => {
    const texts = [
      ...pairs(['ink', 'ink-2', 'ink-3', 'link'], BACKGROUNDS),
      ...STATUSES.flatMap((status) => pairs([status], [...BACKGROUNDS, `${status}-t`])),
      ...pairs(['on-solid'], ['solid']),
    ];
    for (const [text, background] of texts)
      assert.ok(contrast(of(text), of(background)) >= MIN_TEXT, `${text} on ${background}`);
    assert.ok(contrast('#ffffff', of('down-s')) >= MIN_TEXT, 'white on down-s');
  });

  test(`every shape can be told from its ground in the ${theme} theme`, () => {
    const shapes = [
      ...pairs(['control', 'focus'], BACKGROUNDS),
      ...STATUSES.flatMap((status) => pairs([`${status}-g`], ['surface', 'canvas'])),
      ...pairs(['bar-cap'], ['surface', 'canvas']),
    ];
    for (const [shape, background] of shapes)
      assert.ok(contrast(of(shape), of(background)) >= MIN_GRAPHIC, `${shape} on ${background}`);
  });
}

test('both themes have the same colours', () => {
  assert.deepEqual(Object.keys(THEMES.dark).toSorted(), Object.keys(THEMES.light).toSorted());
});

test('badges have the colours of the light theme, and their words can be read', () => {
  for (const status of ['up', 'late', 'down'] as const) {
    const [label = '', color = ''] = [...badgeSvg('prod', status).matchAll(/fill="(#\w+)"\/>/g)].map(
      ([, found]) => found,
    );
    assert.equal(color, THEMES.light[status]);
    assert.ok(contrast('#ffffff', color) >= MIN_TEXT, status);
    assert.ok(contrast('#ffffff', label) >= MIN_TEXT, 'label');
  }
});
