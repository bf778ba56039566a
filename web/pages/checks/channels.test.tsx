import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckRowJson } from '../../../src/views/board-json.ts';
import { all, show } from '../../ui/dom.test-support.ts';
import { ChannelNames, ChannelTiles } from './channels.tsx';

const CHANNELS = ['Mail', 'Chat', 'On-call'].map((name) => ({
  ...{ uuid: name, kind: 'email', label: 'Email', name, isOff: false },
}));

test('integrations of a check that are told, are not told, and were not reached look and read differently', () => {
  // The tiles read nothing else of a row.
  const row = { channels: ['Mail', 'On-call'] } as unknown as CheckRowJson;

  using _shown = show(
    <ChannelTiles row={row} channels={CHANNELS} failed={['On-call']} onToggle={() => undefined} />,
  );

  assert.deepEqual(
    all('button').map((tile) => [tile.getAttribute('title'), tile.className]),
    [
      ['Mail: is told', 'tile'],
      ['Chat: is not told', 'tile tile-off'],
      ['On-call: was not reached', 'tile tile-failed'],
    ],
  );
});

test('where only some integrations have room, all that are told are named', () => {
  const more = ['Pager', 'Wiki'].map((name) => ({
    ...{ uuid: name, kind: 'email', label: 'Email', name, isOff: false },
  }));
  const channels = [...CHANNELS, ...more];
  const row = { channels: ['Mail', 'Chat', 'On-call', 'Pager'] } as unknown as CheckRowJson;

  const shown = show(
    <ChannelTiles row={row} channels={channels} failed={['Pager']} onToggle={() => undefined} />,
  );
  assert.equal(
    all('button')[0]?.getAttribute('aria-label'),
    'Integrations: 4 of 5, Mail: is told, Chat: is told, On-call: is told, Pager: was not reached',
  );
  shown[Symbol.dispose]();

  using _reader = show(<ChannelTiles row={row} channels={channels} failed={[]} onToggle={null} />);
  assert.deepEqual(
    [...document.querySelectorAll('[title]')].map((tile) => tile.getAttribute('title')),
    ['Mail: is told', 'Chat: is told', 'On-call: is told', 'Pager: is told'],
  );
});

test('where nobody is assigned, a row names those that a rule tells, and until that is known nobody', () => {
  const words = (assigned: readonly string[], byRule: readonly string[] | null) => {
    const row = { channels: assigned } as unknown as CheckRowJson;
    using _shown = show(<ChannelNames row={row} channels={CHANNELS} byRule={byRule} />);
    return document.body.textContent.trim();
  };

  assert.equal(words(['Mail', 'Chat'], ['On-call']), 'Tells Mail and Chat');
  assert.equal(words([], ['On-call']), 'Tells On-call');
  assert.equal(words([], []), 'Tells nobody');
  assert.equal(words([], null), '');
});
