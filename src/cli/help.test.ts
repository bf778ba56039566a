import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CLIENT } from './client-commands.ts';
import { columns } from './columns.ts';
import { COMMANDS, SERVICE } from './commands.ts';
import { helpOf } from './help.ts';

async function everyHelp(): Promise<[name: string, text: string][]> {
  const commands = Object.entries(COMMANDS).map(
    async ([name, load]): Promise<[string, string]> => [name, helpOf(name, await load())],
  );
  const overviews = { overview: await SERVICE.overview(), 'overview of the client': await CLIENT.overview() };
  return [...Object.entries(overviews), ...(await Promise.all(commands))];
}

/** The start of the right column, in the lines of each table; -1 if nothing parts it from the left one. */
function rightColumns(text: string): number[][] {
  const tables = text.split('\n\n').map((part) => part.match(/^ {2}\S.*$/gm) ?? []);
  return tables.map((lines) => lines.map((line) => /^ {2}\S.*? {2,}(?=\S)/.exec(line)?.[0].length ?? -1));
}

test('every line of every help has its two columns apart, and all of a table stand below each other', async () => {
  for (const [name, text] of await everyHelp()) {
    for (const places of rightColumns(text)) {
      assert.ok(!places.includes(-1), `${name} has a line whose columns touch:\n${text}`);
      assert.ok(
        new Set(places).size <= 1,
        `${name} has columns that do not stand below each other:\n${text}`,
      );
    }
    for (const line of text.split('\n')) assert.ok(line.length <= 110, `${name} is too wide: ${line}`);
  }
});

test('the right column begins behind the widest text at the left, also below a first line', () => {
  assert.deepEqual(
    columns([
      ['a', 'first\nsecond'],
      ['wide --left', 'third'],
    ]),
    ['  a            first\n               second', '  wide --left  third'],
  );
  assert.deepEqual(columns([]), []);
});

test('every help is a usage and whole sentences', async () => {
  for (const [name, text] of await everyHelp()) {
    assert.match(text, /^Usage: .*\btocsin \w/m, name);
    assert.match(text, /^[A-Z].*[.:]$/m, name);
    assert.match(text, /\n$/, name);
  }
});

test('the help of a schedule names every option', async () => {
  const text = helpOf('schedule', (await COMMANDS.schedule?.()) ?? assert.fail());

  for (const option of ['--tz', '--from', '--count', '--json'])
    assert.ok(text.includes(`\n  ${option} `), option);
});

test('the readme names every command', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## The command$(.*?)^## /ms.exec(readme) ?? [];

  for (const name of Object.keys(COMMANDS)) assert.ok(section.includes(`\`${name}\``), name);
});
