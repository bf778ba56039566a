import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { dingtalk } from '../dingtalk/dingtalk.ts';
import { aReply } from '../kind/alert-event.test-support.ts';
import type { Reply } from '../kind/kind.ts';
import { lark } from '../lark/lark.ts';
import { wecom } from '../wecom/wecom.ts';

const classify = {
  'Lark / Feishu': (reply: Reply) => lark.classify(reply),
  DingTalk: (reply: Reply) => dingtalk.classify(reply),
  WeCom: (reply: Reply) => wecom.classify(reply),
};

suite('a code in the body decides, under the status 200', () => {
  const answers: [service: keyof typeof classify, body: object, outcome: object][] = [
    ['Lark / Feishu', { code: 0, msg: 'success' }, { kind: 'delivered' }],
    [
      'Lark / Feishu',
      { code: 19001, msg: 'param invalid: incoming webhook access token invalid' },
      {
        kind: 'permanent',
        error: 'Received code 19001: param invalid: incoming webhook access token invalid',
      },
    ],
    [
      'Lark / Feishu',
      { code: 19021, msg: 'sign match fail or timestamp is not within one hour from current time' },
      {
        kind: 'try_again',
        error: 'Received code 19021: sign match fail or timestamp is not within one hour from current time',
        afterSeconds: null,
      },
    ],
    [
      'Lark / Feishu',
      { code: 11232, msg: 'frequency limited' },
      { kind: 'try_again', error: 'Received code 11232: frequency limited', afterSeconds: 60 },
    ],
    [
      'Lark / Feishu',
      { code: 9499, msg: 'Bad Request' },
      { kind: 'try_again', error: 'Received code 9499: Bad Request', afterSeconds: null },
    ],
    ['DingTalk', { errcode: 0, errmsg: 'ok' }, { kind: 'delivered' }],
    [
      'DingTalk',
      { errcode: 300005, errmsg: 'token is not exist' },
      { kind: 'permanent', error: 'Received code 300005: token is not exist' },
    ],
    [
      'DingTalk',
      { errcode: 310000, errmsg: 'sign not match' },
      { kind: 'try_again', error: 'Received code 310000: sign not match', afterSeconds: null },
    ],
    [
      'DingTalk',
      { errcode: 130101, errmsg: 'send too fast, exceed 20 times per minute' },
      {
        kind: 'try_again',
        error: 'Received code 130101: send too fast, exceed 20 times per minute',
        afterSeconds: 600,
      },
    ],
    [
      'DingTalk',
      { errcode: 430102, errmsg: 'bad text' },
      { kind: 'refused', error: 'Received code 430102: bad text' },
    ],
    ['WeCom', { errcode: 0, errmsg: 'ok' }, { kind: 'delivered' }],
    [
      'WeCom',
      { errcode: 93000, errmsg: 'invalid webhook url' },
      { kind: 'permanent', error: 'Received code 93000: invalid webhook url' },
    ],
    [
      'WeCom',
      { errcode: 45009, errmsg: 'api freq out of limit' },
      { kind: 'try_again', error: 'Received code 45009: api freq out of limit', afterSeconds: 60 },
    ],
    ['WeCom', { errcode: 40058 }, { kind: 'refused', error: 'Received code 40058' }],
  ];
  for (const [service, body, outcome] of answers) {
    test(`${service}: ${JSON.stringify(body)}`, () => {
      assert.deepEqual(classify[service](aReply(200, body)), outcome);
    });
  }

  for (const service of Object.keys(classify) as (keyof typeof classify)[]) {
    test(`${service}: an answer without a code is no success`, () => {
      for (const body of ['', 'ok', '<html>', '[]', '{"code":"0","errcode":"0"}']) {
        assert.equal(classify[service](aReply(200, body)).kind, 'try_again', body);
      }
    });
  }
});
