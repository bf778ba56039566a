import type { Answer } from '../../app/read.ts';

export type StatusPage = Answer<'statusPage'>;
export type Component = StatusPage['components'][number];
export type Notice = StatusPage['notices'][number];
export type NoticeUpdate = Notice['updates'][number];
