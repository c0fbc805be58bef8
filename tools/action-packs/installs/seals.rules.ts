/** What a sealed setting is bound to. */
export const boundTo = (installId: number, name: string) => `actionPackSetting:${installId}:${name}`
