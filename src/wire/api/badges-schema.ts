import { component, object, url } from '../openapi/schema.ts';
import type { BadgeUrlsJson } from './badges-output.ts';

export const BADGE_URLS_SCHEMA = component(
  'BadgeUrls',
  object<BadgeUrlsJson>({
    svg: url('An image with two states, up and down: a check in its grace time counts as up.'),
    svg3: url('An image with three states: up, late and down.'),
    json: url('JSON for a badge of your own, two states.'),
    json3: url('JSON for a badge of your own, three states.'),
    shields: url('JSON for an endpoint badge of shields.io, two states.'),
    shields3: url('JSON for an endpoint badge of shields.io, three states.'),
  }),
);
