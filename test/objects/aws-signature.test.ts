import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAuthorization, signatureOf } from './aws-signature.ts';

/** The keys and requests of the examples in Amazon's description of signatures for S3. */
const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const EXAMPLES = [
  {
    what: 'a part of an object',
    request: { method: 'GET', url: '/test.txt' },
    headers: { range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    what: 'an upload whose key needs an escape',
    request: { method: 'PUT', url: '/test$file.text' },
    headers: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    what: 'a parameter without a value',
    request: { method: 'GET', url: '/?lifecycle' },
    headers: { 'x-amz-content-sha256': EMPTY },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    what: 'a listing',
    request: { method: 'GET', url: '/?prefix=J&max-keys=2' },
    headers: { 'x-amz-content-sha256': EMPTY },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

for (const { what, request, headers, signature } of EXAMPLES) {
  test(`the published example of ${what} has its published signature`, () => {
    const all = { host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': '20130524T000000Z', ...headers };
    const signedHeaders = Object.keys(all).sort().join(';');

    assert.equal(
      signatureOf({ ...request, headers: all }, { signedHeaders, scope: SCOPE }, SECRET_KEY),
      signature,
    );
  });
}

test('a header of another form is no authorization', () => {
  for (const authorization of [undefined, '', 'Bearer x', 'AWS AKIAIOSFODNN7EXAMPLE:abc']) {
    const headers = authorization === undefined ? {} : { authorization };
    assert.equal(readAuthorization({ method: 'GET', url: '/', headers }), null);
  }
});
