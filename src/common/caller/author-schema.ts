/** Schema of the id of the user who made a change. `null` if nobody did or it is unknown. */
export const USER_ID_OR_NULL = {
  type: String,
  format: 'uuid',
  nullable: true,
  example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b01',
} as const;

/** Schema of the id of the API key with which a change was made. `null` if it was made without one. */
export const KEY_ID_OR_NULL = {
  ...USER_ID_OR_NULL,
  example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02',
} as const;
