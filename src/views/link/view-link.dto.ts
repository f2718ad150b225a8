import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsRFC3339, ValidateIf } from 'class-validator';

/** A public link of a view, without its URL. */
export class ViewLinkDto {
  /**
   * Time at which the link was created.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * ID of the user who created the link.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b17'
   */
  @ApiProperty({ format: 'uuid' })
  createdBy!: string;

  /**
   * Time at which the link expires. `null` if it does not expire.
   * @example '2027-02-21T09:30:00.000Z'
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;

  /**
   * Time of the last use, updated at most every five minutes. `null` if nobody has used the link.
   * @example '2026-11-21T09:45:00.000Z'
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastUsedAt!: string | null;

  /**
   * Keys of the columns that the link shows: those that are visible in the view now and were visible
   * when the link was created.
   * @example ['iata', 'name']
   */
  columns!: string[];
}

/** A public link of a view with its URL. */
export class ViewLinkWithUrlDto extends ViewLinkDto {
  /**
   * URL of the page with the rows of the view. Whoever knows it can read them. Returned only here.
   * `null` if the response is repeated for an `Idempotency-Key`, because secrets are not stored in
   * responses.
   * @example 'https://data.example.com/shared/8Hq0m3vXr1cYJ2l9Q7sVfK4nT6uW5pZbAeDgRiMoNxE'
   */
  @ApiProperty({ type: String, nullable: true })
  url!: string | null;
}

/** A new public link. */
export class CreateViewLinkDto {
  /**
   * Time at which the link expires, in RFC 3339. If `null` or absent, it does not expire.
   * @example '2027-02-21T09:30:00.000Z'
   */
  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true })
  @ValidateIf((_object, value: unknown) => value !== undefined && value !== null)
  @IsRFC3339({ message: 'must be an RFC 3339 timestamp', context: { code: 'invalid_format' } })
  expiresAt?: string | null;
}
