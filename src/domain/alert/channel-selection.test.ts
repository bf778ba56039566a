import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../errors.ts';
import { selectChannels } from './channel-selection.ts';

const mail = { id: 1, uuid: 'aaaaaaaa-0000-4000-8000-000000000001', name: 'mail' };
const pager = { id: 2, uuid: 'bbbbbbbb-0000-4000-8000-000000000002', name: 'The pager' };
const nameless = { id: 3, uuid: 'cccccccc-0000-4000-8000-000000000003', name: '' };
const twin = { id: 4, uuid: 'dddddddd-0000-4000-8000-000000000004', name: 'twin' };
const otherTwin = { id: 5, uuid: 'eeeeeeee-0000-4000-8000-000000000005', name: 'twin' };
const impostor = { id: 6, uuid: 'ffffffff-0000-4000-8000-000000000006', name: nameless.uuid };
const all = [mail, pager, nameless, twin, otherTwin, impostor];

test('a star means all channels, an empty text none', () => {
  assert.deepEqual(selectChannels('*', all), all);
  assert.deepEqual(selectChannels('*', []), []);
  assert.deepEqual(selectChannels('', all), []);
});

test('a list names channels by UUID or by name, each of which counts once', () => {
  const rows: [value: string, selected: readonly object[]][] = [
    [mail.uuid, [mail]],
    ['mail', [mail]],
    ['The pager,mail', [pager, mail]],
    [`mail,${mail.uuid},mail`, [mail]],
    [twin.uuid, [twin]],
    [impostor.uuid, [impostor]],
  ];

  for (const [value, selected] of rows) assert.deepEqual(selectChannels(value, all), selected, value);
});

test('a part that names no channel, or several, is refused, the first such part first', () => {
  const rows: [value: string, message: string][] = [
    [',', 'empty channel identifier'],
    ['mail,', 'empty channel identifier'],
    [',mail', 'empty channel identifier'],
    ['nope', 'invalid channel identifier: nope'],
    ['Mail', 'invalid channel identifier: Mail'],
    ['mail, The pager', 'invalid channel identifier:  The pager'],
    [mail.uuid.toUpperCase(), `invalid channel identifier: ${mail.uuid.toUpperCase()}`],
    ['*,mail', 'invalid channel identifier: *'],
    ['twin', 'non-unique channel identifier: twin'],
    [nameless.uuid, `non-unique channel identifier: ${nameless.uuid}`],
    ['mail,nope,twin,', 'invalid channel identifier: nope'],
    ['twin,nope', 'non-unique channel identifier: twin'],
  ];

  for (const [value, message] of rows) {
    const isRefusal = (error: unknown) =>
      error instanceof AppError && error.code === 'invalid_channel' && error.message === message;
    assert.throws(() => selectChannels(value, all), isRefusal, value);
  }
});

test('a list of endless repeats costs one search', () => {
  let searches = 0;
  const counted = {
    id: 1,
    uuid: mail.uuid,
    get name() {
      searches++;
      return 'x';
    },
  };

  assert.equal(selectChannels(`x${',x'.repeat(1000)}`, [counted]).length, 1);

  assert.equal(searches, 1);
});
