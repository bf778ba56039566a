import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW } from './check.test-support.ts';
import { newCheck, uniqueKeyOf } from './check.ts';
import { DEFAULT_CONFIG } from './settings.ts';

test('a fresh check has been pinged by nobody and waits for nothing', () => {
  const identity = {
    uuid: '31365bce-8da9-4729-8ff3-aaa71d56b712',
    badgeKey: 'b9ee3ae9-4ac3-4a7f-ac60-c7e5e5d5b0a0',
    projectId: 7,
    createdAt: NOW,
  };

  assert.partialDeepStrictEqual(newCheck(DEFAULT_CONFIG, identity), {
    ...identity,
    uniqueKey: 'a6c7b0a8a66bed0df66abfdab3c77736861703ee',
    name: '',
    slug: '',
    tags: '',
    description: '',
    kind: 'simple',
    timeoutSeconds: 86_400,
    schedule: '* * * * *',
    tz: 'UTC',
    graceSeconds: 3_600,
    manualResume: false,
    methods: '',
    startKeywords: '',
    successKeywords: '',
    failureKeywords: '',
    filterSubject: false,
    filterBody: false,
    filterHttpBody: false,
    filterDefaultFail: false,
    status: 'new',
    pingCount: 0,
    lastPingAt: null,
    lastStartAt: null,
    lastStartRid: null,
    runReported: false,
    lastDuration: null,
    lastFlipAt: null,
    hasConfirmationLink: false,
    deadlineAt: null,
  });
});

test('the unique key is the SHA-1 of the first sixteen hex digits', () => {
  assert.equal(
    uniqueKeyOf('31365bce-8da9-4729-8ff3-aaa71d56b712'),
    'a6c7b0a8a66bed0df66abfdab3c77736861703ee',
  );
});

test('the unique key tells nothing of the second half of the UUID', () => {
  assert.equal(
    uniqueKeyOf('31365bce-8da9-4729-8ff3-aaa71d56b712'),
    uniqueKeyOf('31365bce-8da9-4729-0000-000000000000'),
  );
  assert.notEqual(
    uniqueKeyOf('31365bce-8da9-4729-8ff3-aaa71d56b712'),
    uniqueKeyOf('31365bce-8da9-472a-8ff3-aaa71d56b712'),
  );
});
