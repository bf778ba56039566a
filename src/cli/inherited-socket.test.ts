import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inheritedSocket } from './inherited-socket.ts';

const PID = 4321;
const yes = () => true;

test('a socket that was passed on to this process is the third descriptor', () => {
  assert.equal(inheritedSocket({ LISTEN_FDS: '1', LISTEN_PID: '4321' }, PID, yes), 3);
});

test('without the variables, or with those of another process, there is no socket', () => {
  assert.equal(inheritedSocket({}, PID, yes), null);
  assert.equal(inheritedSocket({ LISTEN_FDS: '1' }, PID, yes), null);
  assert.equal(inheritedSocket({ LISTEN_FDS: '1', LISTEN_PID: '1' }, PID, yes), null);
  assert.equal(inheritedSocket({ LISTEN_FDS: '0', LISTEN_PID: '4321' }, PID, yes), null);
});

test('several sockets are refused, and one that the launcher has closed', () => {
  assert.throws(
    () => inheritedSocket({ LISTEN_FDS: '2', LISTEN_PID: '4321' }, PID, yes),
    /LISTEN_FDS=2: Tocsin takes one socket/,
  );
  assert.throws(
    () => inheritedSocket({ LISTEN_FDS: '1', LISTEN_PID: '4321' }, PID, () => false),
    /descriptor 3 is no socket.*start Node itself/,
  );
});
