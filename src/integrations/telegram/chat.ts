/** https://core.telegram.org/bots/api#chat */
export const CHAT_TYPES = ['private', 'group', 'supergroup', 'channel'] as const;

export const MAX_CHAT_NAME = 200;
